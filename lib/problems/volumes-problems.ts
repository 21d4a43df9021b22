import type { ProblemTable } from './problem-table';

/** Problems of volumes. */
export const VOLUMES_PROBLEMS = {
  MEMORY_VOLUMES: {
    rule: "volumes in memory and /dev/shm (<sharedMemory>) count against the worker's memory limit of <memory> and must be smaller together",
    fix: 'lower the size, lower resources.worker.sharedMemory, raise resources.worker.memory, or use medium: disk',
  },
  FILE_CACHES: {
    rule: "file caches in memory and the worker's memory of <memory> must be smaller together than the <memoryGb> GB of <machineType>",
    fix: 'lower the size, lower resources.worker.memory, or use medium: disk',
  },
  FILE_CACHE_SIDECAR: {
    rule: 'file caches in memory count together against the memory limit of the FUSE sidecar, here <limit>, and must be smaller',
    fix: 'lower the size, raise sidecar.memoryLimit, or use medium: disk',
  },
  MOUNT_PATH: {
    rule: 'a mount path is absolute, without a slash at its end, blanks or colons',
    fix: 'write it as in /data',
  },
  MOUNT_PATH_RESERVED: {
    rule: 'a volume at <mountPath> would hide what is there: at <place> <holds>',
    fix: '<advice>',
  },
  VOLUME_SIZE: {
    rule: '<reason>',
    fix: 'write it as in 50Gi',
  },
  CLAIM_NAME: {
    rule: '<reason>',
    fix: 'write the name of a PersistentVolumeClaim of the namespace',
  },
  BUCKET_MISSING: {
    rule: 'a gcs-fuse volume needs a bucket',
    fix: 'name it here, or set bucket in platform.yaml',
  },
  ONLY_DIR: {
    rule: 'a folder of the bucket is written without a leading slash, blanks or commas',
    fix: 'write <onlyDir>',
  },
  ONLY_DIR_DOTS: {
    rule: 'a folder of the bucket is named from its top, and a bucket has no folders . and ..',
    fix: 'write the folder itself, as in runs/first',
  },
  PROFILE_FORM: {
    rule: 'a profile is a StorageClass, so it works only with form: persistent-volume',
    fix: 'set form: persistent-volume, or leave the profile out',
  },
  PROFILE_GKE_VERSION: {
    rule: 'the gcsfusecsi StorageClasses come with GKE <minimum>, the cluster has <version>',
    fix: 'leave the profile out, or raise cluster.version in platform.yaml',
  },
  PROFILE_FILE_CACHE: {
    rule: 'a profile sizes the file cache itself',
    fix: 'leave either the profile or the file cache out',
  },
  SIDECAR_QUANTITY: {
    rule: '<reason>',
    fix: 'write it as in 2Gi',
  },
  SIDECAR_UNLIMITED: {
    rule: 'Autopilot gives every container a limit, so "0" (no limit) is not allowed there',
    fix: 'write a number, or leave it out for the default',
  },
  GCS_FUSE_GKE_VERSION: {
    rule: "before GKE <minimum> the FUSE sidecar is no native one: KubeRay's waiting init container cannot see the mount and the pod stalls; the cluster has <version>",
    fix: 'raise cluster.version in platform.yaml',
  },
  MOUNT_OPTION_FORM: {
    rule: 'one mount option an entry, without blanks and commas',
    fix: 'split it into entries of the list',
  },
  MOUNT_OPTION_UNKNOWN: {
    rule: 'gcsfuse knows no option <key>',
    fix: '<advice>, or <unchecked> to hand it on unseen to a newer gcsfuse',
  },
  MOUNT_OPTION_DRIVER: {
    rule: "<key> is the CSI driver's own to set",
    fix: 'remove it',
  },
  MOUNT_OPTION_VALUE: {
    rule: '<reason>',
    fix: '<advice>',
  },
  MOUNT_OPTION_OWNED: {
    rule: "<key> follows from the volume's <own>",
    fix: 'set <own> instead',
  },
  MOUNT_OPTION_USER: {
    rule: 'files belong to the user of the pods, so that <first> follows from <user>',
    fix: 'set <user> instead',
  },
  MOUNT_PATH_TAKEN: {
    rule: 'no two volumes share a mount path, and volume <earlier> is mounted there already',
    fix: 'mount one of them elsewhere',
  },
  BUCKET_MOUNTED_TWICE: {
    rule: 'a pod mounts a bucket, or one folder of it, once, and volume <earlier> does so already',
    fix: 'use one volume, or give each its own onlyDir',
  },
  CLAIM_MOUNTED_TWICE: {
    rule: 'a pod mounts a claim once, and volume <earlier> does so already',
    fix: 'use one volume, or a second claim',
  },
  PERSISTENT_VOLUME_TWICE: {
    rule: 'before GKE 1.33 a pod mounts one PersistentVolume per bucket, and another volume has <bucket> already; the cluster has <version>',
    fix: 'use form: ephemeral, or raise cluster.version in platform.yaml',
  },
  SIDECAR_DIFFERS: {
    rule: 'a pod has one FUSE sidecar for all its buckets, and volumes<place> says <value>',
    fix: 'write the same in both, or leave it out of one',
  },
} as const satisfies ProblemTable;
