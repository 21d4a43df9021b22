import type { ProblemTable } from './problem-table';

/** Problems of rendered objects. */
export const MANIFEST_PROBLEMS = {
  CLUSTER_SCOPED_NAMESPACE: {
    rule: 'a <kind> belongs to the whole cluster',
    fix: 'leave the namespace out',
  },
  CONTAINER_RESOURCE_MISSING: {
    rule: 'every container states cpu and memory in requests and limits',
    fix: 'add it',
  },
  CONTAINER_QUANTITY: {
    rule: '<reason>',
    fix: 'correct it',
  },
  CONTAINER_RESOURCE_ZERO: {
    rule: 'cpu and memory are above zero',
    fix: 'state what the container needs',
  },
  CONTAINER_REQUEST_ABOVE_LIMIT: {
    rule: 'a request is at most its limit, here <limit>',
    fix: 'lower the request or raise the limit',
  },
  DEVICE_REQUEST_FORM: {
    rule: 'resource.k8s.io/v1 has this field below exactly',
    fix: 'move it to <place>',
  },
  DEVICE_CLASS: {
    rule: "the device classes of GKE's DRANET are <networkDeviceClasses>",
    fix: 'use netdev.google.com for TPU hosts',
  },
  DEVICE_COUNT: {
    rule: '<machine> has <cards> to claim',
    fix: 'claim at most <networkCards>',
  },
  CONTAINER_VARIABLE_TWICE: {
    rule: 'a variable is set once, env[<first>] sets it already',
    fix: 'remove one of them',
  },
  CONTAINER_VARIABLE_NAME: {
    rule: 'a variable is named with letters, digits and underscores and does not begin with a digit',
    fix: 'rename it',
  },
  FIELD_MISSPELT: {
    rule: 'no known KubeRay release has this field, and <meant> is spelt almost so',
    fix: 'write <meant>, or remove it',
  },
  GCS_FUSE_ANNOTATION_MISSING: {
    rule: 'a pod with a GCS FUSE volume has this annotation, with the string "true"',
    fix: 'add it to the metadata of the pod template',
  },
  GCS_FUSE_VOLUME_RESERVED: {
    rule: 'this name is reserved for the GCS FUSE sidecar, and the pod has no GCS FUSE volume',
    fix: 'add the GCS FUSE volume, or rename this one',
  },
  GCS_FUSE_ANNOTATION_IDLE: {
    rule: 'only a pod with a GCS FUSE volume has this annotation: it brings a sidecar',
    fix: 'remove it, or add the volume',
  },
  GCS_FUSE_HOST_NETWORK: {
    rule: 'GCS FUSE volume \'<name>\' works on the host network only with hostNetworkPodKSA "true"',
    fix: 'set the attribute, or use the pod network',
  },
  JOB_RESTART_POLICY: {
    rule: 'the pod of <job> has restartPolicy <allowed>',
    fix: 'set it to Never',
  },
  KUBERAY_FIELD: {
    rule: '<reason>',
    fix: '<advice>',
  },
  LABEL_VALUE: {
    rule: '<reason>',
    fix: 'shorten or change it, or use an annotation',
  },
  LABEL_KEY: {
    rule: '<reason>',
    fix: 'change the key',
  },
  MANIFEST_PLACEHOLDER: {
    rule: '<placeholder> was not filled in',
    fix: 'set the variable, or write the value',
  },
  SECRET_OBJECT: {
    rule: 'a Secret with data does not belong in rendered manifests',
    fix: 'make it in the cluster by other means, and refer to it by name',
  },
  SECRET_LITERAL: {
    rule: '<name> looks like a credential and carries a literal value',
    fix: 'put it into a Secret made outside of this repository, and refer to it with valueFrom.secretKeyRef',
  },
  SECRET_FORM: {
    rule: 'no manifest holds <form>',
    fix: 'put it into a Secret made outside of this repository, and refer to it with valueFrom.secretKeyRef',
  },
  MONITORING_SELECTOR: {
    rule: 'a PodMonitoring reads pods of a RayCluster of its own namespace, and there is none of this name',
    fix: 'write the name of the RayCluster, or put both into one namespace',
  },
  MOUNT_PATH_TWICE: {
    rule: 'a path holds one mount, volumeMounts[<first>] has it already',
    fix: 'mount one of them elsewhere',
  },
  OBJECT_NAME_MISSING: {
    rule: 'every object has a fixed name, so that applying twice changes nothing',
    fix: 'set metadata.name',
  },
  OBJECT_NAME: {
    rule: '<reason>',
    fix: 'choose another name: nothing is cut or replaced',
  },
  NUM_OF_HOSTS_MISSING: {
    rule: 'every worker group states numOfHosts, a whole number of at least 1',
    fix: 'set it to the hosts of a slice',
  },
  GROUP_TEMPLATE_MISSING: {
    rule: 'head and worker groups have a pod template',
    fix: 'add the template with the Ray container',
  },
  GROUP_NAME_MISSING: {
    rule: 'a worker group has a name',
    fix: 'add it',
  },
  GROUP_LABELS_PARAMETER: {
    rule: 'the operator refuses labels as a parameter of ray start',
    fix: 'use the labels of the group (KubeRay 1.5 and newer)',
  },
  GROUP_RESOURCES_TWICE: {
    rule: 'the operator refuses a group that gives its resources twice, in resources and in rayStartParams',
    fix: 'keep resources and remove <name>',
  },
  GROUP_REPLICAS_RANGE: {
    rule: 'minReplicas is at most maxReplicas, here <max>',
    fix: 'swap them',
  },
  GROUP_REPLICAS: {
    rule: 'replicas lies between minReplicas and maxReplicas, here <low> and <high>; the operator takes the nearest in silence',
    fix: 'change one of the three',
  },
  AUTOSCALER_RESTART_POLICY: {
    rule: 'with the autoscaler v2 the pods of head and workers have restartPolicy Never, or none',
    fix: 'set it to Never',
  },
  CONTAINER_VARIABLE_OWNED: {
    rule: 'the TPU webhook and Ray set this variable for each host',
    fix: 'remove it',
  },
  PLAIN_JSON: {
    rule: '<reason>',
    fix: 'give a value, or leave the field or item out',
  },
  POD_CLAIM_UNKNOWN: {
    rule: 'a container uses claims of its pod (<declared>)',
    fix: 'add it to spec.resourceClaims, or correct the name',
  },
  POD_CLAIM_UNUSED: {
    rule: 'every claim of a pod is used by a container',
    fix: "list it in a container's resources.claims, or remove it",
  },
  POD_SECURITY_LEVEL: {
    rule: 'namespace <namespace> enforces Pod Security <level>, which forbids it',
    fix: 'remove it, or label the namespace pod-security.kubernetes.io/enforce=privileged',
  },
  USER_NUMBER: {
    rule: 'users and groups are whole numbers from 1 (0 is root) to <largestUser>',
    fix: 'use the number of a user of the image, or leave it out',
  },
  USER_NON_ROOT: {
    rule: 'runAsNonRoot needs a numeric runAsUser: the kubelet cannot tell whether a named user of an image is root',
    fix: 'set runAsUser on the container or the pod',
  },
  PRIVILEGED: {
    rule: 'no container is privileged unless that is allowed: GKE gives TPU pods their devices without',
    fix: 'remove it, or allow privileged containers',
  },
  VOLUME_UNKNOWN: {
    rule: 'a mount names a volume of its pod (<names>)',
    fix: 'add the volume, or correct the name',
  },
  VOLUME_NAME_TWICE: {
    rule: 'volume names of a pod are unique, spec.volumes[<index>] has this one',
    fix: 'rename one of them',
  },
  VOLUME_UNUSED: {
    rule: 'every volume of a pod is mounted by one of its containers',
    fix: 'mount it, or remove it',
  },
  PORT_TWICE: {
    rule: 'containers of a pod share its network, <place> is on this port already',
    fix: 'use another port',
  },
  HOST_PORT_TAKEN: {
    rule: 'on the host network <agent> has this port already: <title>',
    fix: 'use another port',
  },
  PORT_NAME_TWICE: {
    rule: 'port names of a pod are unique, <place> has this one',
    fix: 'rename one of them',
  },
  HOST_PORT: {
    rule: "on the host network a host port is the container's port, here <containerPort>",
    fix: 'leave it out',
  },
  RAY_CONTAINER_MISSING: {
    rule: 'a Ray pod has at least one container',
    fix: 'add the Ray container',
  },
  RAY_CONTAINER_FIRST: {
    rule: 'the first container of a Ray pod is the one Ray runs in, here <name>',
    fix: 'put sidecars behind it',
  },
  REFERENCE_UNKNOWN: {
    rule: 'it names a <kind><where> that is neither rendered nor declared external',
    fix: 'correct the name or the namespace, render the object, or declare it external',
  },
  REFERENCE_KEY: {
    rule: '<object> has no such key',
    fix: 'use one of <keys>',
  },
  STRING_VALUE: {
    rule: 'this value must be a string',
    fix: 'write it as <stringify>',
  },
  TPU_SELECTOR_MISSING: {
    rule: 'a TPU worker group selects accelerator and topology of its nodes',
    fix: 'add it',
  },
  TPU_SELECTOR_TOPOLOGY: {
    rule: 'a topology is chips by chips, as in 4x4 or 2x2x2',
    fix: 'correct it',
  },
  NUM_OF_HOSTS: {
    rule: 'topology <topology> has <chips> chips, <perHost> in a pod, so <hosts>',
    fix: 'derive numOfHosts from the topology',
  },
  TPU_HOST_FIT: {
    rule: '<machine> has <most> <unit>, and the containers of this pod ask for <sum>',
    fix: 'ask for less: GKE and its agents need a part of the host as well',
  },
  TPU_NODE_LABEL: {
    rule: 'TPU nodes are labelled <labels>',
    fix: 'use one of them',
  },
  TPU_NODE_DIMENSIONS: {
    rule: '<generation> topologies have <dimensions> dimensions, and this pod asks for <topology>',
    fix: 'select the accelerator and the topology of one node pool',
  },
  TPU_TOLERATION: {
    rule: 'TPU nodes carry the taint <tpuTaintKey>=present:NoSchedule',
    fix: 'tolerate it: {key: <tpuTaintKey>, operator: Exists, effect: NoSchedule}',
  },
  TPU_REQUEST_LIMIT: {
    rule: 'TPU requests equal TPU limits, here <limit>',
    fix: 'give both the chips of the host',
  },
  TPU_REQUEST: {
    rule: 'TPU chips are a whole number above zero',
    fix: 'give the chips of the host',
  },
  OBJECT_TWICE: {
    rule: 'kind, namespace and name identify one object, <length> have these',
    fix: 'rename all but one, or render it once',
  },
  WEBHOOK_LABEL: {
    rule: "the TPU webhook selects Ray's pods by <key>=kuberay",
    fix: 'remove it, or use <partOf> for your own',
  },
  KUBERAY_LABEL: {
    rule: "labels under ray.io/ are KubeRay's to set",
    fix: 'remove it',
  },
  YAML_READING: {
    rule: '<reason>',
    fix: 'write it another way',
  },
  YAML_READING_KEY: {
    rule: '<reason>',
    fix: 'change the key',
  },
  MONITORING_PORT: {
    rule: 'a PodMonitoring reads one port of every pod that it selects, and <object> (<place>) <rule>',
    fix: "name the port by its name, <name>, and declare it on the container where Ray's metrics-export-port is another",
  },
  VOLUME_HANDLE_TWICE: {
    rule: 'a pod mounts one volume once, and <earlier> is the same one<text>',
    fix: 'mount it once, or give the PersistentVolume a volumeHandle of its own, as in BUCKET:SUFFIX',
  },
} as const satisfies ProblemTable;
