import { nestProblems, problemsElsewhere } from '../../problems';
import type { Problem } from '../../problems';
import type { TrainerContext, TrainerPlanBase } from '../kind';
import { checkArchitecture, checkBatch, checkLayout, checkOptions } from './checks';
import { MAXTEXT_MODULE, commandOf } from './command';
import { chooseMesh } from './default-mesh';
import type { ChosenMesh, StateOfModel } from './default-mesh';
import { DEFAULT_BATCH } from './defaults';
import { judgeArguments, judgeUnchecked } from './judge';
import type { PlacedArgument } from './judge';
import { stateMemory, uncountedState } from './memory';
import type { StateMemory } from './memory';
import { isProblemList, resolveMeshes } from './mesh';
import type { MeshAtSize } from './mesh';
import { resolveModel, splitArgument } from './model';
import type { Architecture } from './model-catalogue';
import { parameterCount } from './parameter-count';
import { renderArguments } from './rendered-arguments';
import type { MaxTextTrainerSpec } from './spec';
import { warningsOf } from './warnings';

/** Everything that follows from the options of a MaxText trainer. */
export interface MaxTextPlan extends TrainerPlanBase {
  readonly kind: 'maxtext';
  readonly maxtext: MaxTextFacts;
}

/** What only MaxText runs have. */
export interface MaxTextFacts {
  readonly model: string;
  /** MaxText's arguments (`key=value`), without what the trainer adds on the hosts. */
  readonly arguments: readonly string[];
  /** Trained parameters; undefined where they are not counted. */
  readonly parameters: number | undefined;
  /** Meshes by number of slices, smallest first. */
  readonly meshes: readonly MeshAtSize[];
  /** Why axes that were not given are what they are; empty when all were given. */
  readonly meshReasons: readonly string[];
  /** One for each mesh; empty where it is not estimated. */
  readonly memory: readonly MemoryAtSize[];
  /** Examples per step. */
  readonly globalBatch: { readonly min: number; readonly max: number };
}

/** Memory of one device at one number of slices. */
export interface MemoryAtSize {
  readonly slices: number;
  readonly state: StateMemory;
}

/** Everything that follows from the options of a MaxText trainer, or every Problem; paths are relative to it. */
export function planMaxText(spec: MaxTextTrainerSpec, context: TrainerContext): MaxTextPlan | Problem[] {
  const problems = checkOptions(spec, context);
  const unchecked = new Set(spec.unchecked);
  const model = resolveModel(spec.model, spec.arguments ?? [], unchecked.has('model_name'));
  if (isProblemList(model)) problems.push(...model);
  const architecture = isProblemList(model) ? undefined : model.architecture;
  const counted = countedState(spec, architecture);
  const chosen = chooseMesh(spec.mesh ?? {}, context, counted);
  const meshes = resolveMeshes(chosen.mesh, context.slice.devices, context.slices);
  const rendered = renderArguments(spec, context, chosen);
  // What has a Problem already is not judged twice.
  problems.push(
    ...problemsElsewhere(judgeArguments(spec.model, rendered, unchecked), problems),
    ...judgeUnchecked(
      spec.unchecked ?? [],
      rendered.map(({ key }) => key),
    ),
  );
  if (isProblemList(meshes)) problems.push(...nestProblems(['mesh'], meshes));
  if (isProblemList(model) || isProblemList(meshes)) return problems;
  problems.push(
    ...nestProblems(['mesh'], checkLayout(spec, context, meshes)),
    ...checkBatch(spec, context, meshes),
  );
  if (architecture !== undefined) {
    problems.push(...checkArchitecture(spec, context, architecture, counted, meshes));
  }
  if (problems.length > 0) return problems;
  const facts = describe(spec, context, architecture, counted, chosen, meshes, rendered);
  return {
    kind: 'maxtext',
    module: MAXTEXT_MODULE,
    command: commandOf(spec, context, facts.arguments),
    // JAX takes a whole host for one process, whatever the devices per chip.
    workers: {
      perSlice: context.slice.hosts,
      tpuPerWorker: context.slice.chipsPerHost,
      min: context.slices.min * context.slice.hosts,
      max: context.slices.max * context.slice.hosts,
    },
    tpuResourcePerChip: 1,
    workerEnvironment: {
      JAX_PLATFORMS: context.slices.max > 1 ? 'tpu,cpu' : 'tpu',
      ENABLE_PJRT_COMPATIBILITY: 'true',
    },
    maxtext: facts,
    warnings: warningsOf(spec, context, model),
  };
}

/** What the size of the state follows from, where it can be counted: the model is known, and no argument adds to it. */
function countedState(
  spec: MaxTextTrainerSpec,
  architecture: Architecture | undefined,
): StateOfModel | undefined {
  if (architecture === undefined || uncountedState(spec.arguments ?? []) !== undefined) return undefined;
  return {
    architecture,
    weightDtype: spec.weightDtype ?? 'float32',
    ...(spec.muDtype === undefined ? {} : { muDtype: spec.muDtype }),
  };
}

function describe(
  spec: MaxTextTrainerSpec,
  context: TrainerContext,
  architecture: Architecture | undefined,
  counted: StateOfModel | undefined,
  chosen: ChosenMesh,
  meshes: readonly MeshAtSize[],
  rendered: readonly PlacedArgument[],
): MaxTextFacts {
  const memory: MemoryAtSize[] =
    counted === undefined
      ? []
      : meshes.map(({ slices, mesh }) => ({ slices, state: stateMemory({ ...counted, mesh }) }));
  const batchPerSlice =
    (spec.perDeviceBatchSize ?? DEFAULT_BATCH) *
    context.slice.devices *
    accumulatedSteps(spec.arguments ?? []);
  return {
    model: spec.model,
    arguments: rendered.map(({ key, value }) => `${key}=${value}`),
    parameters: architecture === undefined ? undefined : parameterCount(architecture),
    meshes,
    meshReasons: chosen.reasons,
    memory,
    globalBatch: { min: batchPerSlice * context.slices.min, max: batchPerSlice * context.slices.max },
  };
}

/** Batches whose gradients make one step. @see https://github.com/AI-Hypercomputer/maxtext src/maxtext/configs/base.yml (gradient_accumulation_steps) */
function accumulatedSteps(entries: readonly string[]): number {
  // As for MaxText, the last one of a key counts.
  const steps = Number(new Map(entries.map(splitArgument)).get('gradient_accumulation_steps'));
  return Number.isInteger(steps) && steps > 1 ? steps : 1;
}
