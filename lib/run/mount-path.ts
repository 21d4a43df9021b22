import { problem } from '../problems';
import type { Path, Problem } from '../problems';
import type { VolumeSpec } from './run-spec';

/** Where a volume must not be mounted. */
interface ReservedPath {
  readonly path: string;
  /** Whether everything below it is reserved too. */
  readonly beneath: boolean;
  /** What is there. */
  readonly holds: string;
}

const alone = (holds: string, ...paths: string[]): ReservedPath[] =>
  paths.map((path) => ({ path, beneath: false, holds }));
const whole = (holds: string, ...paths: string[]): ReservedPath[] =>
  paths.map((path) => ({ path, beneath: true, holds }));

/** What the image, the node, Kubernetes, Ray or this project has at a path. */
const RESERVED: readonly ReservedPath[] = [
  ...whole('Kubernetes mounts devices and shared memory', '/dev'),
  ...whole('the kernel shows itself', '/proc', '/sys'),
  ...whole('Kubernetes mounts tokens and the container runtime keeps its sockets', '/run', '/var/run'),
  ...whole(
    'the image has its operating system',
    ...['/bin', '/boot', '/etc', '/lib', '/lib32', '/lib64', '/libx32', '/sbin', '/usr'],
  ),
  ...whole('the operating system keeps its state', '/var/cache', '/var/lib', '/var/log', '/var/spool'),
  ...whole("Ray's images have Python and Ray", '/home/ray/anaconda3', '/home/ray/.local'),
  ...whole("the submitter has the trainer's sources", '/opt/tpu-trainers'),
  ...alone('the image has all its files', '/'),
  ...alone('the image has the homes of its users', '/home', '/home/ray', '/root'),
  ...alone('the image has software', '/opt'),
  ...alone('the operating system keeps its state', '/var'),
  ...alone('Ray and the image put temporary files', '/tmp', '/var/tmp'),
];

/** Ray's sockets and logs need a disk of the node's own: an emptyDir is one, and keeps them off the boot disk. */
const SESSIONS = whole('Ray keeps sockets, sessions and logs', '/tmp/ray');

/** The problem of a mount path, if any: no path, or one where a volume would hide what is needed. `path` is the Problem's. */
export function checkMountPath(path: Path, mountPath: string, kind?: VolumeSpec['kind']): Problem[] {
  const normal = /^(\/[^/\s:]+)+$/.test(mountPath) && !/\/\.\.?(\/|$)/.test(mountPath);
  if (!normal && mountPath !== '/') {
    return [problem('MOUNT_PATH', path, mountPath)];
  }
  const reserved = (kind === 'empty-dir' ? RESERVED : [...RESERVED, ...SESSIONS]).find(
    (place) => place.path === mountPath || (place.beneath && mountPath.startsWith(`${place.path}/`)),
  );
  if (reserved === undefined) return [];
  return [
    problem('MOUNT_PATH_RESERVED', path, mountPath, {
      mountPath,
      place: reserved.path,
      holds: reserved.holds,
      advice:
        mountPath === '/dev/shm'
          ? 'set resources.worker.sharedMemory instead'
          : 'mount it elsewhere, as at /data',
    }),
  ];
}
