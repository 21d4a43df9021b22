import { GCS_FUSE_AUTOPILOT_LIMITS } from '../kubernetes/gcs-fuse';
import { parseQuantity } from '../kubernetes/quantity';
import { problem } from '../problems';
import type { Path, Problem } from '../problems';
import { MACHINE_FACTS } from '../tpu';
import type { TpuSlice } from '../tpu';
import type { Platform } from './platform';
import { resolveResources } from './resources';
import type { RunSpec, VolumeSpec } from './run-spec';

const GB = 1e9;

/** A volume that is held in memory. */
interface MemoryVolume {
  /** Where its size stands, relative to the run. */
  readonly path: Path;
  readonly size: string;
  readonly bytes: number;
}

/**
 * Problems of volumes that are held in memory, on workers: what they write is charged to the container that writes it. An emptyDir is the
 * Ray container's, beside /dev/shm; a file cache is the FUSE sidecar's. Paths are relative to the run. What is on disk is bounded by the
 * node's boot disk, whose size nobody gives here.
 */
export function checkMemoryVolumes(spec: RunSpec, slice: TpuSlice, platform: Platform): Problem[] {
  const volumes = spec.volumes ?? [];
  const { memory, sharedMemory } = resolveResources(spec.resources, slice).worker;
  const limit = bytesOf(memory);
  // Told elsewhere, and nothing could be compared with it.
  if (limit === 0) return [];
  const directories = volumes.flatMap((volume, index) =>
    volume.kind === 'empty-dir' && volume.medium === 'memory'
      ? memoryVolume(['volumes', index, 'size'], volume.size)
      : [],
  );
  const caches = volumes.flatMap((volume, index) => cacheOf(volume, index));
  const machine = MACHINE_FACTS[slice.machineType];
  return [
    ...beyond(directories, limit - bytesOf(sharedMemory)).map(({ path, size }) =>
      problem('MEMORY_VOLUMES', path, size, { sharedMemory, memory }),
    ),
    ...checkSidecarLimit(caches, volumes, platform),
    ...beyond(caches, machine.memoryGb * GB - limit).map(({ path, size }) =>
      problem('FILE_CACHES', path, size, {
        memory,
        memoryGb: machine.memoryGb,
        machineType: slice.machineType,
      }),
    ),
  ];
}

function cacheOf(volume: VolumeSpec, index: number): MemoryVolume[] {
  if (volume.kind !== 'gcs-fuse' || volume.fileCache === undefined || volume.fileCache.medium === 'disk') {
    return [];
  }
  const path = ['volumes', index, 'fileCache', 'size'];
  return memoryVolume(path, volume.fileCache.size);
}

/** The one sidecar of a pod holds the caches of all its buckets: beyond its own limit it is killed, and the mounts with it. */
function checkSidecarLimit(
  caches: readonly MemoryVolume[],
  volumes: readonly VolumeSpec[],
  platform: Platform,
): Problem[] {
  const said = volumes.flatMap((volume) =>
    volume.kind === 'gcs-fuse' && volume.sidecar?.memoryLimit !== undefined
      ? [volume.sidecar.memoryLimit]
      : [],
  )[0];
  const isAutopilot = platform.cluster.mode === 'autopilot';
  const limit = said ?? (isAutopilot ? GCS_FUSE_AUTOPILOT_LIMITS.memory : '0');
  if (bytesOf(limit) === 0) return [];
  return beyond(caches, bytesOf(limit)).map(({ path, size }) =>
    problem('FILE_CACHE_SIDECAR', path, size, { limit }),
  );
}

/** Those volumes that, with the ones before them, leave nothing of the room. */
function beyond(volumes: readonly MemoryVolume[], room: number): MemoryVolume[] {
  let used = 0;
  return volumes.filter(({ bytes }) => {
    used += bytes;
    return used >= room;
  });
}

/** A size that is none is told elsewhere. */
function memoryVolume(path: Path, size: string): MemoryVolume[] {
  const bytes = parseQuantity(size);
  return bytes === undefined ? [] : [{ path, size, bytes }];
}

function bytesOf(quantity: string): number {
  return parseQuantity(quantity) ?? 0;
}
