import type { Generation } from '../tpu';
import { isRayVersionAtLeast } from './ray-version';
import type { TrainerKind } from './registry';

/** What a run does that not every Ray can, besides its trainer kind and generation. */
export type RayUse = 'slices' | 'elastic' | 'autoscaler' | 'token';

/** The oldest Ray for one thing, and why. A row holds where each of `kinds`, `generations` and `use` that it has does. */
export interface RayFloor {
  readonly what: string;
  readonly minimum: string;
  /** What an older Ray does instead. */
  readonly reason: string;
  /** Where that is known from. */
  readonly source: string;
  readonly kinds?: readonly TrainerKind[];
  readonly generations?: readonly Generation[];
  readonly use?: RayUse;
}

const JAX: readonly TrainerKind[] = ['maxtext'];
const TORCH: readonly TrainerKind[] = ['torchtpu-collectives', 'torchtpu-finetune'];
const ACCELERATOR = 'python/ray/_private/accelerators/tpu.py of Ray 2.49';

/** Every version floor of Ray. */
export const RAY_FLOORS: readonly RayFloor[] = [
  {
    what: 'the trainer kind maxtext',
    kinds: JAX,
    minimum: '2.49.0',
    reason: 'an older Ray has no JaxTrainer',
    source: 'https://github.com/ray-project/ray/pull/55207',
  },
  {
    what: 'Ray Train V2 without a switch',
    kinds: JAX,
    minimum: '2.51.0',
    reason: 'up to 2.50 it is off by default, and JaxTrainer is a part of it',
    source: "RAY_TRAIN_V2_ENABLED in Ray Train's reference",
  },
  {
    what: 'maxtext on v4 and v5p',
    kinds: JAX,
    generations: ['v4', 'v5p'],
    minimum: '2.53.0',
    reason:
      'an older Ray counts chips in the pod type, not TensorCores, and waits for v5p-8 where the slice is v5p-16',
    source: ACCELERATOR,
  },
  {
    what: 'maxtext on tpu7x',
    kinds: JAX,
    generations: ['tpu7x'],
    minimum: '2.53.0',
    reason: 'an older Ray does not know the generation',
    source: ACCELERATOR,
  },
  {
    what: 'TorchTPU',
    kinds: TORCH,
    minimum: '2.58.0',
    reason: 'an older Ray has neither RAY_TPU_RESOURCE_PER_CHIP nor the backend tpu_dist',
    source: 'https://github.com/ray-project/ray/pull/64058',
  },
  {
    what: 'a run of several slices',
    use: 'slices',
    minimum: '2.56.0',
    reason: 'an older Ray keeps stale MEGASCALE_* variables of pods',
    source: 'https://github.com/ray-project/ray/pull/62893',
  },
  {
    what: 'an elastic run',
    use: 'elastic',
    minimum: '2.55.0',
    reason: 'an older Ray does not resize TPU runs by whole slices',
    source: 'https://github.com/ray-project/ray/pull/61299',
  },
  {
    what: "Ray's autoscaler on multi-host slices",
    use: 'autoscaler',
    minimum: '2.43.0',
    reason: 'an older one counts pods, not slices',
    source: 'field report 50',
  },
  {
    what: 'token authentication',
    use: 'token',
    minimum: '2.52.0',
    reason: 'an older Ray has none',
    source: "KubeRay's validation of authOptions",
  },
];

/** The floors that `rayVersion` is below, highest first. */
export function missedRayFloors(
  rayVersion: string,
  run: {
    readonly kind: TrainerKind;
    readonly generation: Generation;
    readonly uses: readonly RayUse[];
  },
): RayFloor[] {
  return RAY_FLOORS.filter(
    ({ kinds, generations, use, minimum }) =>
      (kinds?.includes(run.kind) ?? true) &&
      (generations?.includes(run.generation) ?? true) &&
      (use === undefined || run.uses.includes(use)) &&
      !isRayVersionAtLeast(rayVersion, minimum),
  ).sort((a, b) => (isRayVersionAtLeast(a.minimum, b.minimum) ? -1 : 1));
}

/** The Ray version that an image's reference tells, as in `ray:2.60.0`, `ray-ml:2.47.0-py312` or `trainer:1-ray2.60.0`. */
export function rayVersionOfImage(image: string): string | undefined {
  const parts = /([^/:@]+):([^/:@]+)(?:@[^/]*)?$/.exec(image);
  const [, name = '', tag = ''] = parts ?? [];
  const named = /(?:^|[-_.])ray[-_.]?v?(\d+\.\d+\.\d+)(?![\d.])/.exec(tag);
  if (named !== null) return named[1];
  // A number of another series is the image's own.
  return /(?:^|[-_.])ray(?:[-_.]|$)/.test(name) ? /^(2\.\d+\.\d+)(?![\d.])/.exec(tag)?.[1] : undefined;
}
