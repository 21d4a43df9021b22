import type { LogicalAxis, ParameterArray } from './parameter-arrays';
import type { MeshAxis, ResolvedMesh } from './mesh';
import { axisDevices } from './mesh';

/** Mesh axes over which a logical axis is divided. */
export interface ShardingRule {
  readonly axis: LogicalAxis;
  readonly over: readonly MeshAxis[];
}

/**
 * MaxText 0.2.5's default rules for weights, in its order: an earlier rule takes its mesh axes first, and a rule one of
 * whose mesh axes is taken is skipped in favour of a later one for the same logical axis.
 * @see https://github.com/AI-Hypercomputer/maxtext src/maxtext/configs/base.yml (logical_axis_rules)
 */
export const SHARDING_RULES: readonly ShardingRule[] = [
  { axis: 'vocab', over: ['tensor', 'tensor_sequence', 'autoregressive'] },
  { axis: 'embed_vocab', over: ['fsdp', 'fsdp_transpose', 'context', 'context_usp_ulysses', 'expert'] },
  { axis: 'heads', over: ['tensor', 'tensor_sequence', 'autoregressive'] },
  { axis: 'q_heads', over: ['tensor', 'tensor_sequence', 'autoregressive'] },
  { axis: 'kv_heads', over: ['tensor', 'tensor_sequence', 'autoregressive'] },
  { axis: 'q_lora', over: ['fsdp', 'fsdp_transpose', 'context', 'context_usp_ulysses', 'expert'] },
  { axis: 'kv_lora', over: ['fsdp', 'fsdp_transpose', 'context', 'context_usp_ulysses', 'expert'] },
  { axis: 'embed_attn', over: ['fsdp', 'fsdp_transpose', 'context', 'context_usp_ulysses', 'expert'] },
  { axis: 'exp', over: ['expert'] },
  { axis: 'mlp_moe', over: ['fsdp_transpose', 'tensor', 'tensor_sequence', 'autoregressive'] },
  { axis: 'embed_moe', over: ['fsdp', 'fsdp_transpose', 'context', 'context_usp_ulysses'] },
  { axis: 'embed_moe', over: ['fsdp', 'context', 'context_usp_ulysses'] },
  { axis: 'embed_router', over: ['fsdp', 'fsdp_transpose', 'context', 'context_usp_ulysses'] },
  { axis: 'mlp', over: ['fsdp_transpose', 'tensor', 'tensor_sequence', 'autoregressive'] },
  { axis: 'embed', over: ['fsdp', 'fsdp_transpose', 'context', 'context_usp_ulysses', 'expert'] },
  { axis: 'embed', over: ['fsdp', 'context', 'context_usp_ulysses', 'expert'] },
  { axis: 'norm', over: ['tensor'] },
  { axis: 'layers', over: ['pipeline'] },
];

/** In how many parts each dimension of an array is divided. */
export function partsOf(array: ParameterArray, mesh: ResolvedMesh): number[] {
  const parts = array.dimensions.map(() => 1);
  const assigned = array.dimensions.map(() => false);
  const taken = new Set<MeshAxis>();
  for (const rule of SHARDING_RULES) {
    const index = array.dimensions.findIndex(
      (dimension, at) => dimension.axis === rule.axis && !assigned[at],
    );
    if (index === -1 || rule.over.some((axis) => taken.has(axis))) continue;
    assigned[index] = true;
    parts[index] = rule.over.reduce((product, axis) => product * axisDevices(mesh, axis), 1);
    rule.over.forEach((axis) => taken.add(axis));
  }
  return parts;
}
