import { problem } from '../../problems';
import type { Problem } from '../../problems';
import { gib } from '../words';
import { axisDevices, describeAxes } from './mesh';
import type { ResolvedMesh } from './mesh';
import type { Architecture } from './model-catalogue';
import { splitArgument } from './model';
import { elementsOf, parameterArrays } from './parameter-arrays';
import type { ParameterArray } from './parameter-arrays';
import { parameterCount } from './parameter-count';
import { partsOf } from './sharding-rules';

/** Number formats whose size is known. */
export type Dtype = 'float32' | 'bfloat16' | 'float16';

const BYTES: Readonly<Record<Dtype, number>> = { float32: 4, bfloat16: 2, float16: 2 };

/** What the size of the training state follows from. */
export interface StateMemoryInput {
  readonly architecture: Architecture;
  readonly mesh: ResolvedMesh;
  /** MaxText's `weight_dtype`. */
  readonly weightDtype: Dtype;
  /** MaxText's `mu_dtype`; the weights' when left out. */
  readonly muDtype?: Dtype;
  /** MaxText's `grad_dtype`. @default 'float32' */
  readonly gradDtype?: Dtype;
}

/** Bytes on one device. */
export interface StateMemory {
  /** Trained parameters of the whole model. */
  readonly parameters: number;
  /** Parameters on one device. */
  readonly parametersPerDevice: number;
  readonly weightsBytes: number;
  /** AdamW's mean of gradients. */
  readonly firstMomentBytes: number;
  /** AdamW's mean of squared gradients; optax keeps it in the weights' type. */
  readonly secondMomentBytes: number;
  /**
   * Gradients, which all exist at once since MaxText clips by their global norm. They leave the backward pass in the
   * weights' type; a wider `grad_dtype` is a conversion the compiler folds into the update.
   */
  readonly gradientBytes: number;
  /** Weights and moments: what lives from step to step, the compiled step's arguments. */
  readonly stateBytes: number;
  /** State and gradients: no step needs less. Activations come on top. */
  readonly leastBytes: number;
}

/** Bytes per device of a MaxText 0.2.5 AdamW training state. */
export function stateMemory(input: StateMemoryInput): StateMemory {
  const { architecture, mesh, weightDtype, muDtype = weightDtype, gradDtype = 'float32' } = input;
  const parametersPerDevice = parameterArrays(architecture).reduce(
    (sum, array) => sum + elementsOf(array) / product(partsOf(array, mesh)),
    0,
  );
  const weightsBytes = parametersPerDevice * BYTES[weightDtype];
  const firstMomentBytes = parametersPerDevice * BYTES[muDtype];
  const gradientBytes = parametersPerDevice * Math.min(BYTES[weightDtype], BYTES[gradDtype]);
  const stateBytes = weightsBytes + firstMomentBytes + weightsBytes;
  return {
    parameters: parameterCount(architecture),
    parametersPerDevice,
    weightsBytes,
    firstMomentBytes,
    secondMomentBytes: weightsBytes,
    gradientBytes,
    stateBytes,
    leastBytes: stateBytes + gradientBytes,
  };
}

/** The arithmetic behind `stateMemory` in one line. */
export function explainState(input: StateMemoryInput): string {
  const { weightDtype, muDtype = weightDtype } = input;
  const memory = stateMemory(input);
  const billions = (count: number): string => `${(count / 1e9).toFixed(2)}B`;
  const each = BYTES[weightDtype] + BYTES[muDtype] + BYTES[weightDtype];
  return (
    `${billions(memory.parameters)} parameters, ${billions(memory.parametersPerDevice)} per device ` +
    `(ici ${describeAxes(input.mesh.ici)}, dcn ${describeAxes(input.mesh.dcn)}), times ${String(each)} bytes ` +
    `(weights ${weightDtype}, first moment ${muDtype}, second moment ${weightDtype}) = ${gib(memory.stateBytes)} of state, ` +
    `and ${gib(memory.gradientBytes)} of gradients`
  );
}

/** MaxText arguments with which the state is not the one counted here. */
const OTHER_STATE: Readonly<Record<string, string>> = {
  custom_mesh_and_rule: 'it replaces the sharding rules',
  enable_diloco: 'it adds an outer optimizer',
  lora_rank: 'only adapters are trained',
  logical_axis_rules: 'it changes the sharding rules',
  opt_type: 'only AdamW is counted',
  optimizer_memory_host_offload: 'moments live in host memory',
  override_logical_axis_rules: 'it changes the sharding rules',
  parameter_memory_host_offload: 'weights live in host memory',
  shard_optimizer_over_data: 'moments are divided further',
};

/** Values of `OTHER_STATE` arguments that change nothing. */
const SAME_STATE: ReadonlySet<string> = new Set(['adamw', 'adam_pax', 'false', 'False', '0', '']);

/** Why further MaxText arguments (`key=value`) make the static estimate inapplicable, or undefined. */
export function uncountedState(entries: readonly string[]): string | undefined {
  const reasons = entries.flatMap((text) => {
    const [key, value] = splitArgument(text);
    const reason = Object.hasOwn(OTHER_STATE, key) ? OTHER_STATE[key] : undefined;
    return reason === undefined || SAME_STATE.has(value) ? [] : [`${text}: ${reason}`];
  });
  return reasons.length === 0 ? undefined : reasons.join('; ');
}

/**
 * Problems of dividing a model's arrays over a mesh: JAX refuses a dimension that does not divide evenly. Paths are
 * relative to the trainer: `mesh`.
 */
export function checkDivision(model: Architecture, mesh: ResolvedMesh): Problem[] {
  const heads =
    axisDevices(mesh, 'tensor') * axisDevices(mesh, 'tensor_sequence') * axisDevices(mesh, 'autoregressive');
  const stages = axisDevices(mesh, 'pipeline');
  // MaxText keeps the dense layers before the experts out of the pipeline.
  const pipelined = model.layers - (model.experts?.leadingDenseLayers ?? 0);
  const problems = [
    ...(pipelined % stages === 0 ? [] : [indivisible(mesh, 'decoder layers', pipelined, stages)]),
    ...(model.latentAttention !== undefined || model.kvHeads % heads === 0
      ? []
      : [indivisible(mesh, 'key and value heads', model.kvHeads, heads)]),
    ...parameterArrays(model).flatMap((array) => unevenDimensions(array, mesh)),
  ];
  return problems.filter(({ rule }, index) => problems.findIndex((other) => other.rule === rule) === index);
}

/** What a user calls a logical axis. */
const DIMENSION_TITLES: Readonly<Record<string, string>> = {
  vocab: 'vocabulary entries',
  embed_vocab: 'embedding elements',
  embed: 'embedding elements',
  embed_attn: 'embedding elements',
  embed_moe: 'embedding elements',
  embed_router: 'embedding elements',
  mlp: 'feed-forward elements',
  mlp_moe: 'elements of an expert',
  exp: 'experts',
  heads: 'query heads',
  q_heads: 'query heads',
  kv_heads: 'key and value heads',
  q_lora: 'elements of the query rank',
  kv_lora: 'elements of the key and value rank',
  norm: 'elements of a norm',
};

function unevenDimensions(array: ParameterArray, mesh: ResolvedMesh): Problem[] {
  const parts = partsOf(array, mesh);
  return array.dimensions.flatMap(({ axis, size }, index) => {
    const title = DIMENSION_TITLES[axis];
    const divisor = parts[index] ?? 1;
    return title === undefined || size % divisor === 0 ? [] : [indivisible(mesh, title, size, divisor)];
  });
}

function indivisible(mesh: ResolvedMesh, title: string, size: number, parts: number): Problem {
  return problem('MESH_DIVISION', ['mesh'], `ici ${describeAxes(mesh.ici)}, dcn ${describeAxes(mesh.dcn)}`, {
    size,
    title,
    parts,
  });
}

function product(factors: readonly number[]): number {
  return factors.reduce((all, factor) => all * factor, 1);
}
