import type { ProblemTable } from './problem-table';

/** Problems of a run file, without its volumes and its trainer. */
export const RUN_PROBLEMS = {
  TPU_SLICES_RANGE: {
    rule: 'min is at most max',
    fix: 'swap them',
  },
  WHOLE_NUMBER: {
    rule: '<reason>',
    fix: 'use <least> or more, without a fraction',
  },
  IMAGE_DIGEST: {
    rule: 'a digest is sha256: and 64 hexadecimal digits in lower case',
    fix: 'write it as the registry shows it, or use a tag',
  },
  IMAGE_TAG: {
    rule: 'a tag has at most 128 letters, digits, underscores, dots and dashes and begins with none of the last two',
    fix: 'write the tag as the registry shows it',
  },
  IMAGE_LENGTH: {
    rule: "an image's name has at most <longestName> characters before its tag, this one has <length>",
    fix: 'shorten it',
  },
  IMAGE_REFERENCE: {
    rule: 'an image is a reference [HOST[:PORT]/]PATH[:TAG][@DIGEST]: parts of the path have lower-case letters and digits, with single dots, underscores or dashes between them',
    fix: '<advice>',
  },
  RESERVATION_PROJECT: {
    rule: 'a project id has 6 to 30 lower-case letters, digits and dashes and begins with a letter',
    fix: 'write the id of the project that owns the reservation',
  },
  RESERVATION_NAME: {
    rule: 'a reservation is named without its path: lower-case letters, digits and dashes, at most 63',
    fix: '<advice>',
  },
  VARIABLE_NAME: {
    rule: 'an environment variable is named with letters, digits and underscores and does not begin with a digit',
    fix: 'rename it',
  },
  VARIABLE_OWNED: {
    rule: "<name> is not a user's to set: <owner>",
    fix: 'remove it',
  },
  VARIABLE_CREDENTIAL: {
    rule: '<credential> must not stand in a manifest, where anyone who can read it can use it',
    fix: '<advice>',
  },
  IMAGE_CREDENTIAL: {
    rule: 'an image reference must not carry credentials',
    fix: 'give the nodes read access to the repository instead',
  },
  IMAGE_ELSEWHERE: {
    rule: "an image of <project>'s own registries lies in the imageRepository of platform.yaml, <repository>, where the scripts build it; they build this one nowhere",
    fix: '<instead>write it with its digest, NAME@sha256:…, if it exists already',
  },
  IMAGE_WITHOUT_TAG: {
    rule: "an image of the project's own repository has a tag, under which scripts/gcloud/images.sh builds it, or a digest, which is not built",
    fix: 'write <image>:TAG, with another tag whenever the image changes',
  },
  JAX_PLATFORMS: {
    rule: 'JAX_PLATFORMS of a run on TPUs is a list of platforms with tpu among them, as in tpu,cpu: without it Ray leaves jax.distributed out, and every host trains by itself',
    fix: 'remove it, for the trainer sets it, or add tpu',
  },
  TEXT_PLACEHOLDER: {
    rule: 'only ${NAME} is filled in, and <placeholder> would stand in the manifest as it is',
    fix: 'write ${NAME} and export the variable, or write the value itself',
  },
  TEXT_READING: {
    rule: 'a text is read from the manifest as it was written: <reason>',
    fix: 'write it another way',
  },
  NETWORK_SINGLE_SLICE: {
    rule: 'one slice has no network to others',
    fix: 'remove network, or set tpu.slices to 2 or more',
  },
  MULTISLICE_SINGLE_HOST: {
    rule: 'Multislice joins multi-host slices only, and <generation> <topology> is one host',
    fix: 'use a larger topology, or one slice',
  },
  MULTISLICE_GKE_VERSION: {
    rule: 'Multislice needs GKE <multisliceGkeVersions> on <mode>',
    fix: 'raise the version in platform.yaml',
  },
  NETWORK_DRANET: {
    rule: '<reason>',
    fix: '<advice>',
  },
  NETWORK_AUTOPILOT: {
    rule: 'Autopilot allows no pods on the host network',
    fix: 'use dranet, or a Standard cluster',
  },
  NETWORK_POD_SECURITY: {
    rule: 'the namespace <namespace> is rendered with Pod Security level baseline, which refuses the host network',
    fix: 'leave ownNamespace out of platform.yaml and create the namespace with the level privileged yourself',
  },
  LIBTPU_FLAG: {
    rule: 'a flag is written as --name=value',
    fix: 'one flag an entry, without blanks',
  },
  LIBTPU_FLAG_OWNED: {
    rule: '--megascale_grpc_interface_prefixes follows from network.mode',
    fix: 'remove it',
  },
  RESOURCE_QUANTITY: {
    rule: '<reason>',
    fix: '<advice>',
  },
  SUBMITTER_SHARED_MEMORY: {
    rule: 'the submitter has no /dev/shm volume',
    fix: 'remove it',
  },
  CPU_LIMIT: {
    rule: 'the limit is at least the request of <cpu>',
    fix: 'raise the limit or lower cpu',
  },
  SHARED_MEMORY: {
    rule: '/dev/shm counts against the memory limit of <memory> and must be smaller',
    fix: 'lower sharedMemory, or raise memory',
  },
  WORKER_CPU: {
    rule: 'of its <vcpus> vCPUs a <machineType> offers <offered> to pods: a worker that asks for more is never placed',
    fix: 'ask for at most <most>, which leaves room for system pods',
  },
  WORKER_MEMORY: {
    rule: 'of its <memoryGb> GB a <machineType> offers <offered>Gi to pods: a worker that asks for more is never placed',
    fix: 'ask for at most <most>Gi, which leaves room for system pods',
  },
  CPU_POOL_CPU: {
    rule: 'heads and submitters run on n2-standard machines, the largest of which leaves <most> CPUs to them<also>',
    fix: 'lower resources.<pod>.cpu',
  },
  CPU_POOL_MEMORY: {
    rule: 'heads and submitters run on n2-standard machines, the largest of which leaves <most>Gi of memory to them<also>',
    fix: 'lower resources.<pod>.memory',
  },
  SUBMITTER_DEADLINE: {
    rule: '<reason>',
    fix: 'write it as in 12h',
  },
  NODE_SELECTOR_KEY: {
    rule: '<reason>',
    fix: 'write the label as kubectl get nodes --show-labels has it',
  },
  NODE_SELECTOR_VALUE: {
    rule: '<reason>',
    fix: 'write the value as kubectl get nodes --show-labels has it',
  },
  NODE_SELECTOR_TPU: {
    rule: 'the submitter needs no TPU and must not hold a TPU host',
    fix: 'remove it',
  },
  TRAINER_SOURCES_SIZE: {
    rule: 'the sources of a trainer kind travel in a ConfigMap of at most <limit> bytes; these have <list>',
    fix: 'move what is large into the image or a bucket',
  },
  RUN_NAME: {
    rule: '<reason>',
    fix: 'choose another name; it is never cut, since a cut name would not be the service its hosts look for',
  },
  RAY_VERSION: {
    rule: 'a Ray version is written in full, as in 2.60.0',
    fix: 'write the version that `ray --version` prints in the image',
  },
  ARGUMENT_CREDENTIAL: {
    rule: '<credential> must not stand in a command line, which the dashboard and logs show',
    fix: 'put it into a Secret and reference that in env',
  },
  SECRET_NAME: {
    rule: '<reason>',
    fix: 'write the name of a Secret of the namespace',
  },
  SECRET_KEY: {
    rule: "a Secret's key has letters, digits, dashes, underscores and dots, at most 253",
    fix: 'write the key as the Secret has it',
  },
  TPU_TOPOLOGY_RAY: {
    rule: '<reason>',
    fix: 'use a topology that both know',
  },
  TPU_GKE_VERSION: {
    rule: '<generation> on <mode> needs GKE <minimum>',
    fix: 'raise the version in platform.yaml',
  },
  LIBTPU_INIT_ARGS: {
    rule: 'a run of several slices has flags of its own in LIBTPU_INIT_ARGS',
    fix: 'add yours to network.libtpuInitArgs',
  },
  RAY_VERSION_TOO_OLD: {
    rule: '<needs>',
    fix: 'use an image with Ray <minimum> or newer and write its version here',
  },
  KUBERAY_TOO_OLD: {
    rule: 'KubeRay knows the field from 1.6.0 on, and platform.yaml says <kubeRayVersion>',
    fix: 'remove it, or raise kubeRayVersion if the operator is that new',
  },
  RAY_VERSION_IMAGE: {
    rule: "the image's tag says Ray <tag>, and head, workers and rayVersion must agree",
    fix: 'write version: <tag>, or use another image',
  },
  CAPACITY_QUEUED: {
    rule: 'queued nodes come only when a queue asks for them by a ProvisioningRequest, and a run cannot name a queue',
    fix: 'write kind: flex-start, whose nodes come when the pods ask, or kind: spot, reservation or on-demand',
  },
  IMAGE_MISSING: {
    rule: 'a run names its image, unless platform.yaml has an imageRepository from which it follows',
    fix: 'set imageRepository in platform.yaml, or write image as in HOST/PROJECT/REPOSITORY/NAME:TAG',
  },
  GITOPS_ON_FINISH: {
    rule: 'git still wants the RayCluster: <tool> would make it again, TPU hosts included, with nothing to train on them',
    fix: 'leave it out, and remove the run file when the run has ended: pruning deletes the RayCluster',
  },
  GITOPS_ON_TERMINATION: {
    rule: 'a change of the submitter makes another Job, which follows the same run; <tool> prunes the Job before it, which would stop that run',
    fix: 'write detach; to stop a run, use ray job stop or remove its file',
  },
} as const satisfies ProblemTable;
