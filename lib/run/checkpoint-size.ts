import { GCS_FUSE_AUTOPILOT_LIMITS } from '../kubernetes/gcs-fuse';
import { parseQuantity } from '../kubernetes/quantity';
import { trainerKind } from '../training';
import type { TrainerPlan } from '../training';
import type { Platform } from './platform';
import type { VolumeSpec } from './run-spec';

const GB = 1e9;

/**
 * The remark on checkpoints that a FUSE sidecar may not hold, or undefined: Autopilot limits the sidecar's disk, on which a host's share of a
 * checkpoint is staged unless GCS FUSE streams it.
 *
 * @param hosts of the smallest size, over which a checkpoint is divided
 */
export function checkpointWarning(
  trainer: TrainerPlan,
  volumes: readonly VolumeSpec[],
  platform: Platform,
  hosts: number,
): string | undefined {
  if (platform.cluster.mode !== 'autopilot') return undefined;
  const { run, trainer: described } = trainerKind(trainer.kind).document(trainer);
  const settings = new Map((described.maxtextArguments ?? []).map(keyAndValue));
  const state = run.memory?.[0]?.state;
  if (state === undefined || state === null || settings.get('enable_checkpointing') === 'false')
    return undefined;
  const output = settings.get('base_output_directory') ?? '';
  const isOnBucket = volumes.some(
    ({ kind, mountPath }) => kind === 'gcs-fuse' && `${output}/`.startsWith(`${mountPath}/`),
  );
  if (!isOnBucket || volumes.some(streamsWrites)) return undefined;
  const limit =
    volumes.flatMap((volume) =>
      volume.kind === 'gcs-fuse' && volume.sidecar?.ephemeralStorageLimit !== undefined
        ? [volume.sidecar.ephemeralStorageLimit]
        : [],
    )[0] ?? GCS_FUSE_AUTOPILOT_LIMITS.ephemeralStorage;
  // Weights and moments, without the copies that devices hold of each other's.
  const bytes = (state.stateBytes / state.parametersPerDevice) * state.parameters;
  if (bytes / hosts <= (parseQuantity(limit) ?? 0)) return undefined;
  return `one checkpoint has ${gigabytes(bytes)}, ${gigabytes(bytes / hosts)} per host, and Autopilot limits the FUSE sidecar to ${limit} of disk, which holds what is not uploaded yet: raise sidecar.ephemeralStorageLimit, add the mount option enable-streaming-writes, or write to gs://`;
}

/** Whether a volume says that files are uploaded while they are written. */
function streamsWrites(volume: VolumeSpec): boolean {
  return (
    volume.kind === 'gcs-fuse' &&
    (volume.mountOptions ?? []).some((option) => /(^|:)enable-streaming-writes([:=]true)?$/.test(option))
  );
}

function keyAndValue(text: string): [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

function gigabytes(bytes: number): string {
  return `${String(Math.round(bytes / GB))} GB`;
}
