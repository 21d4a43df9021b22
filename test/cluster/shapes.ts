import type { PlatformSpec, RunSpec } from '../../lib/run';
import {
  GENERATIONS,
  MACHINE_FACTS,
  describeShape,
  rayTrainRefusal,
  shapesOf,
  shapesWithTopology,
} from '../../lib/tpu';
import type { Generation, Shape } from '../../lib/tpu';

/** Hosts of the largest slice whose every pod is made: the nightly run adds the slices that take minutes each. */
export const MOST_HOSTS_RECONCILED = process.env['NIGHTLY'] === '1' ? 64 : 16;

/** Slice counts beside one. */
const SLICE_COUNTS = [2, 3, 4] as const;

const NETWORK_MODES = ['dranet', 'host-network', 'pod-network'] as const;

/** A run of one shape. */
export interface ShapeCase {
  readonly name: string;
  readonly generation: Generation;
  readonly topology: string;
  readonly hosts: number;
  readonly slices: number;
  readonly network: 'none' | (typeof NETWORK_MODES)[number];
  readonly run: RunSpec;
}

/** Every shape that GKE offers and Ray Train runs on. */
export function offeredShapes(): Shape[] {
  return GENERATIONS.flatMap(shapesOf).filter((shape) => rayTrainRefusal(shape, 1) === undefined);
}

/** One slice of every offered shape. */
export function singleSliceCases(): ShapeCase[] {
  return offeredShapes().map((shape) => shapeCase(shape, 1, 'none'));
}

/** Two, three and four slices, and every network mode, on the two smallest multi-host shapes of each generation. */
export function multisliceCases(): ShapeCase[] {
  return GENERATIONS.flatMap((generation) => {
    const shapes = shapesOf(generation).filter(
      (shape) => shape.hosts > 1 && rayTrainRefusal(shape, SLICE_COUNTS[0]) === undefined,
    );
    const hasCards = MACHINE_FACTS[shapes[0]?.machineType ?? 'ct4p-hightpu-4t'].dranet;
    return shapes.slice(0, 2).flatMap((shape, index) => {
      const counts = SLICE_COUNTS.map((slices) =>
        shapeCase(shape, slices, hasCards ? 'dranet' : 'pod-network'),
      );
      const modes = NETWORK_MODES.filter(
        (mode) => mode !== counts[0]?.network && (mode !== 'dranet' || hasCards),
      );
      return index === 0 ? [...counts, ...modes.map((mode) => shapeCase(shape, 2, mode))] : counts;
    });
  });
}

/** The platform of a case: a namespace of its own. */
export function platformOf(namespace: string): PlatformSpec {
  return {
    project: 'my-project',
    region: 'us-east5',
    zone: 'us-east5-b',
    cluster: { name: 'tpu-ray', mode: 'standard', version: '1.35.2-gke.1842000' },
    kubeRayVersion: '1.5.0',
    namespace,
    bucket: { name: 'my-bucket' },
  };
}

/** A small model, so that the smallest shape holds it. */
export function shapeCase(shape: Shape, slices: number, network: ShapeCase['network']): ShapeCase {
  const { generation, topology, machineType, hosts } = shape;
  const isAmbiguous = shapesWithTopology(generation, topology).length > 1;
  const name = [
    generation,
    topology,
    isAmbiguous ? machineType.split('-').at(-1) : '',
    slices > 1 ? `${String(slices)}s` : '',
    network === 'none' ? '' : network,
  ]
    .filter((part) => part !== '')
    .join('-');
  return {
    name,
    generation,
    topology,
    hosts,
    slices,
    network,
    run: {
      name,
      tpu: { generation, topology, slices, ...(isAmbiguous ? { machineType } : {}) },
      image: 'us-docker.pkg.dev/my-project/tpu-ray/maxtext:0.2.5-ray2.60.0',
      trainer: {
        kind: 'maxtext',
        model: 'qwen3-0.6b',
        steps: 10,
        baseOutputDirectory: 'gs://my-bucket/runs',
        mesh: { ici: meshOf(describeShape(shape).devices), ...(slices > 1 ? { dcn: { data: slices } } : {}) },
        // The mesh need not be a good one, only one that every shape has.
        arguments: ['allow_split_physical_axes=true'],
      },
      ...(network === 'none' ? {} : { network: { mode: network } }),
    },
  };
}

/** Most devices that share the small model's weights. */
const MOST_SHARERS = 64;

/** A mesh that multiplies out on any number of devices. */
function meshOf(devices: number): { fsdp: number; data: number } {
  let fsdp = 1;
  while (fsdp < MOST_SHARERS && devices % (fsdp * 2) === 0) fsdp *= 2;
  return { fsdp, data: devices / fsdp };
}
