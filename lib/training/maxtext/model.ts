import { problem } from '../../problems';
import type { Path, Problem } from '../../problems';
import { DEFAULT_ARCHITECTURE, findModel } from './model-catalogue';
import type { Architecture, CatalogueEntry } from './model-catalogue';
import { MAXTEXT_MODELS, MAXTEXT_VERSION, knownModel } from './options';
import { nearestName } from '../../nearest-name';

/** A model as MaxText will build it. */
export interface Model {
  readonly name: string;
  /** Its dimensions, unless they cannot be counted. */
  readonly architecture?: Architecture;
  /** Why they cannot be counted. */
  readonly uncounted?: string;
}

type Size = 'embedding' | 'layers' | 'queryHeads' | 'kvHeads' | 'headDim' | 'mlp' | 'vocabulary';

/** MaxText's arguments that set a size, and the size they set. */
const SIZE_ARGUMENTS: ReadonlyMap<string, Size> = new Map([
  ['base_emb_dim', 'embedding'],
  ['base_num_decoder_layers', 'layers'],
  ['base_num_query_heads', 'queryHeads'],
  ['base_num_kv_heads', 'kvHeads'],
  ['head_dim', 'headDim'],
  ['base_mlp_dim', 'mlp'],
  ['vocab_size', 'vocabulary'],
]);

const TIED_ARGUMENT = 'logits_via_embedding';

/** Arguments that change the trained arrays, or how they are divided, in ways that are not counted. */
const UNCOUNTED_ARGUMENTS: ReadonlySet<string> = new Set([
  'attention_bias',
  'attention_output_dim',
  'attention_sink',
  'attention_type',
  'base_moe_mlp_dim',
  'decoder_block',
  'engram_layers',
  'first_num_dense_layers',
  'fused_mlp',
  'fused_qkv',
  'global_head_dim',
  'global_num_kv_heads',
  'global_parameter_scale',
  'inhomogeneous_layer_cycle_interval',
  'interleave_moe_layer_step',
  'kv_lora_rank',
  'mhc_expansion_rate',
  'mlp_activations',
  'mlp_bias',
  'moe_mlp_dim',
  'mtp_num_layers',
  'num_experts',
  'pipeline_parallel_layers',
  'q_lora_rank',
  'qk_nope_head_dim',
  'qk_rope_head_dim',
  'routed_bias',
  'share_kv_projections',
  'shared_experts',
  'trainable_position_size',
  'use_multimodal',
  'use_post_attn_norm',
  'use_post_ffw_norm',
  'use_qk_norm',
  'v_head_dim',
]);

/** MaxText's name for a model whose dimensions all come from arguments. */
const UNNAMED_MODEL = 'default';

const OVERRIDE_ARGUMENT = 'override_model_config';

/**
 * The model that `model_name=name` and further MaxText arguments (`key=value`) describe, or every reason why MaxText
 * would refuse them. Paths: `model`, `arguments[i]`.
 *
 * @param isUnchecked whether a name that MaxText 0.2.5 does not know is taken, for a model file in the run's image
 */
export function resolveModel(
  name: string,
  entries: readonly string[],
  isUnchecked = false,
): Model | readonly Problem[] {
  const entry =
    name === UNNAMED_MODEL ? { name, architecture: DEFAULT_ARCHITECTURE } : entryOf(name, isUnchecked);
  if (entry === undefined) return [unknownModel(name)];
  const given = new Map(entries.map((text): [string, string] => splitArgument(text)));
  const mayOverride = name === UNNAMED_MODEL || isTrue(given.get(OVERRIDE_ARGUMENT));
  const problems: Problem[] = [];
  const sizes: Partial<Record<Size, number>> = {};
  entries.forEach((text, index) => {
    const [key, value] = splitArgument(text);
    const size = SIZE_ARGUMENTS.get(key);
    if (size === undefined) return;
    const path = ['arguments', index];
    const own = 'architecture' in entry ? entry.architecture[size] : undefined;
    const wanted = wholeNumber(value);
    if (wanted === undefined) problems.push(notASize(path, text, key));
    else if (!mayOverride && own !== undefined && own !== wanted) {
      problems.push(contradictsModel(path, text, name, key, own));
    } else sizes[size] = wanted;
  });
  if (problems.length > 0) return problems;
  if (!('architecture' in entry)) return entry;
  const uncounted = [...given.keys()].filter((key) => UNCOUNTED_ARGUMENTS.has(key));
  if (uncounted.length > 0)
    return { name, uncounted: `the effect of ${uncounted.join(', ')} is not counted` };
  const tied = given.get(TIED_ARGUMENT);
  const tiedEmbeddings = tied === undefined ? entry.architecture.tiedEmbeddings : isTrue(tied);
  return { name, architecture: { ...entry.architecture, ...sizes, tiedEmbeddings } };
}

/** Dimensions where they are known; MaxText takes `-Instruct` out of a name before it looks for the model's file. */
function entryOf(name: string, isUnchecked: boolean): CatalogueEntry | undefined {
  const known = findModel(name.replace('-Instruct', ''));
  if (isUnchecked) return known ?? { name, uncounted: 'its file is one of the image' };
  if (knownModel(name)?.sets === undefined) return undefined;
  return known === undefined
    ? { name, uncounted: 'its dimensions are not in the catalogue' }
    : { ...known, name };
}

/** Key and value of a `key=value` argument; the value is empty without `=`. */
export function splitArgument(text: string): [string, string] {
  const at = text.indexOf('=');
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function isTrue(value: string | undefined): boolean {
  return value?.toLowerCase() === 'true';
}

function wholeNumber(value: string): number | undefined {
  return /^[1-9][0-9]*(_[0-9]+)*$/.test(value) ? Number(value.replaceAll('_', '')) : undefined;
}

function unknownModel(name: string): Problem {
  // A model of another size is hardly meant.
  const size = /\d+b$/i.exec(name)?.[0].toLowerCase();
  const names = MAXTEXT_MODELS.filter((known) => knownModel(known)?.sets !== undefined);
  const sameSize = names.filter((known) => size !== undefined && known.endsWith(`-${size}`));
  const nearest = nearestName(name, sameSize) ?? nearestName(name, names);
  const advice =
    nearest === undefined
      ? `use one of ${names.join(', ')}; a model file of your image needs model_name in trainer.unchecked`
      : `did you mean ${nearest}?`;
  return knownModel(name) === undefined
    ? problem('MODEL_UNKNOWN', ['model'], name, { maxtext: MAXTEXT_VERSION, advice })
    : problem('MODEL_WITHOUT_FILE', ['model'], name, { maxtext: MAXTEXT_VERSION, advice });
}

function notASize(path: Path, text: string, key: string): Problem {
  return problem('MODEL_SIZE', path, text, { key });
}

function contradictsModel(path: Path, text: string, name: string, key: string, own: number): Problem {
  return problem('MODEL_OVERRIDE', path, text, { name, key, own });
}
