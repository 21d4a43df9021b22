/** The decoder blocks whose parameters this project can count, by MaxText's names. */
export const COUNTED_DECODERS = [
  'llama2',
  'mistral',
  'mixtral',
  'gemma',
  'gemma2',
  'gemma3',
  'qwen2',
  'qwen3',
  'qwen3_moe',
  'olmo3',
  'gpt_oss',
  'gpt3',
  'llama4',
  'deepseek',
] as const;

/** A decoder block. */
export type Decoder = (typeof COUNTED_DECODERS)[number];

/** Dimensions of a decoder-only model, in MaxText's units. */
export interface Architecture {
  readonly decoder: Decoder;
  /** Width of the residual stream (`base_emb_dim`). */
  readonly embedding: number;
  /** `base_num_decoder_layers`; a gemma2 layer holds one local and one global layer. */
  readonly layers: number;
  readonly queryHeads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  /** Width of the dense feed-forward block (`base_mlp_dim`). */
  readonly mlp: number;
  readonly vocabulary: number;
  /** The logits use the embedding table (`logits_via_embedding`). */
  readonly tiedEmbeddings: boolean;
  readonly experts?: Experts;
  readonly latentAttention?: LatentAttention;
  /** Rows of a trained position table (`trainable_position_size`). */
  readonly positions?: number;
}

/** Mixture of experts. */
export interface Experts {
  readonly count: number;
  /** Width of one expert (`base_moe_mlp_dim`). */
  readonly mlp: number;
  /** Experts that see every token. */
  readonly shared: number;
  /** Every how many layers one has experts (`interleave_moe_layer_step`). */
  readonly everyLayers: number;
  /** Layers at the start without experts (`first_num_dense_layers`). */
  readonly leadingDenseLayers: number;
}

/** Multi-head latent attention. */
export interface LatentAttention {
  /** Rank of the query projection; 0 means none. */
  readonly queryRank: number;
  readonly kvRank: number;
  /** Part of a head without rotary position (`qk_nope_head_dim`). */
  readonly plainHeadDim: number;
  /** Part of a head with rotary position (`qk_rope_head_dim`). */
  readonly rotaryHeadDim: number;
  readonly valueHeadDim: number;
}

/** What MaxText builds when no model is named. */
export const DEFAULT_ARCHITECTURE: Architecture = {
  decoder: 'llama2',
  embedding: 2048,
  layers: 16,
  queryHeads: 16,
  kvHeads: 16,
  headDim: 128,
  mlp: 7168,
  vocabulary: 32000,
  tiedEmbeddings: false,
};

/**
 * Dimensions of the models of MaxText 0.2.5 whose parameters can be counted.
 * @see https://github.com/AI-Hypercomputer/maxtext src/maxtext/configs/models (Apache-2.0; the dimensions only)
 */
const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  'llama2-7b': {
    decoder: 'llama2',
    embedding: 4096,
    layers: 32,
    queryHeads: 32,
    kvHeads: 32,
    headDim: 128,
    mlp: 11008,
    vocabulary: 32000,
    tiedEmbeddings: false,
  },
  'llama2-13b': {
    decoder: 'llama2',
    embedding: 5120,
    layers: 40,
    queryHeads: 40,
    kvHeads: 40,
    headDim: 128,
    mlp: 13824,
    vocabulary: 32000,
    tiedEmbeddings: false,
  },
  'llama2-70b': {
    decoder: 'llama2',
    embedding: 8192,
    layers: 80,
    queryHeads: 64,
    kvHeads: 8,
    headDim: 128,
    mlp: 28672,
    vocabulary: 32000,
    tiedEmbeddings: false,
  },
  'llama3-8b': {
    decoder: 'llama2',
    embedding: 4096,
    layers: 32,
    queryHeads: 32,
    kvHeads: 8,
    headDim: 128,
    mlp: 14336,
    vocabulary: 128256,
    tiedEmbeddings: false,
  },
  'llama3-70b': {
    decoder: 'llama2',
    embedding: 8192,
    layers: 80,
    queryHeads: 64,
    kvHeads: 8,
    headDim: 128,
    mlp: 28672,
    vocabulary: 128256,
    tiedEmbeddings: false,
  },
  'llama3.1-405b': {
    decoder: 'llama2',
    embedding: 16384,
    layers: 126,
    queryHeads: 128,
    kvHeads: 8,
    headDim: 128,
    mlp: 53248,
    vocabulary: 128256,
    tiedEmbeddings: false,
  },
  'mistral-7b': {
    decoder: 'mistral',
    embedding: 4096,
    layers: 32,
    queryHeads: 32,
    kvHeads: 8,
    headDim: 128,
    mlp: 14336,
    vocabulary: 32000,
    tiedEmbeddings: false,
  },
  'mixtral-8x7b': {
    decoder: 'mixtral',
    embedding: 4096,
    layers: 32,
    queryHeads: 32,
    kvHeads: 8,
    headDim: 128,
    mlp: 14336,
    vocabulary: 32000,
    tiedEmbeddings: false,
    experts: { count: 8, mlp: 14336, shared: 0, everyLayers: 1, leadingDenseLayers: 0 },
  },
  'mixtral-8x22b': {
    decoder: 'mixtral',
    embedding: 6144,
    layers: 56,
    queryHeads: 48,
    kvHeads: 8,
    headDim: 128,
    mlp: 16384,
    vocabulary: 32768,
    tiedEmbeddings: false,
    experts: { count: 8, mlp: 16384, shared: 0, everyLayers: 1, leadingDenseLayers: 0 },
  },
  'gemma-2b': {
    decoder: 'gemma',
    embedding: 2048,
    layers: 18,
    queryHeads: 8,
    kvHeads: 1,
    headDim: 256,
    mlp: 16384,
    vocabulary: 256128,
    tiedEmbeddings: true,
  },
  'gemma-7b': {
    decoder: 'gemma',
    embedding: 3072,
    layers: 28,
    queryHeads: 16,
    kvHeads: 16,
    headDim: 256,
    mlp: 24576,
    vocabulary: 256128,
    tiedEmbeddings: true,
  },
  'gemma2-2b': {
    decoder: 'gemma2',
    embedding: 2304,
    layers: 13,
    queryHeads: 8,
    kvHeads: 4,
    headDim: 256,
    mlp: 9216,
    vocabulary: 256128,
    tiedEmbeddings: true,
  },
  'gemma2-9b': {
    decoder: 'gemma2',
    embedding: 3584,
    layers: 21,
    queryHeads: 16,
    kvHeads: 8,
    headDim: 256,
    mlp: 14336,
    vocabulary: 256128,
    tiedEmbeddings: true,
  },
  'gemma2-27b': {
    decoder: 'gemma2',
    embedding: 4608,
    layers: 23,
    queryHeads: 32,
    kvHeads: 16,
    headDim: 128,
    mlp: 36864,
    vocabulary: 256128,
    tiedEmbeddings: true,
  },
  'gemma3-4b': {
    decoder: 'gemma3',
    embedding: 2560,
    layers: 34,
    queryHeads: 8,
    kvHeads: 4,
    headDim: 256,
    mlp: 10240,
    vocabulary: 262144,
    tiedEmbeddings: true,
  },
  'gemma3-12b': {
    decoder: 'gemma3',
    embedding: 3840,
    layers: 48,
    queryHeads: 16,
    kvHeads: 8,
    headDim: 256,
    mlp: 15360,
    vocabulary: 262144,
    tiedEmbeddings: true,
  },
  'gemma3-27b': {
    decoder: 'gemma3',
    embedding: 5376,
    layers: 62,
    queryHeads: 32,
    kvHeads: 16,
    headDim: 128,
    mlp: 21504,
    vocabulary: 262144,
    tiedEmbeddings: true,
  },
  'qwen2.5-1.5b': {
    decoder: 'qwen2',
    embedding: 1536,
    layers: 28,
    queryHeads: 12,
    kvHeads: 2,
    headDim: 128,
    mlp: 8960,
    vocabulary: 151936,
    tiedEmbeddings: true,
  },
  'qwen2.5-7b': {
    decoder: 'qwen2',
    embedding: 3584,
    layers: 28,
    queryHeads: 28,
    kvHeads: 4,
    headDim: 128,
    mlp: 18944,
    vocabulary: 152064,
    tiedEmbeddings: false,
  },
  'qwen2.5-14b': {
    decoder: 'qwen2',
    embedding: 5120,
    layers: 48,
    queryHeads: 40,
    kvHeads: 8,
    headDim: 128,
    mlp: 13824,
    vocabulary: 152064,
    tiedEmbeddings: false,
  },
  'qwen3-0.6b': {
    decoder: 'qwen3',
    embedding: 1024,
    layers: 28,
    queryHeads: 16,
    kvHeads: 8,
    headDim: 128,
    mlp: 3072,
    vocabulary: 151936,
    tiedEmbeddings: true,
  },
  'qwen3-1.7b': {
    decoder: 'qwen3',
    embedding: 2048,
    layers: 28,
    queryHeads: 16,
    kvHeads: 8,
    headDim: 128,
    mlp: 6144,
    vocabulary: 151936,
    tiedEmbeddings: true,
  },
  'qwen3-4b': {
    decoder: 'qwen3',
    embedding: 2560,
    layers: 36,
    queryHeads: 32,
    kvHeads: 8,
    headDim: 128,
    mlp: 9728,
    vocabulary: 151936,
    tiedEmbeddings: true,
  },
  'qwen3-8b': {
    decoder: 'qwen3',
    embedding: 4096,
    layers: 36,
    queryHeads: 32,
    kvHeads: 8,
    headDim: 128,
    mlp: 12288,
    vocabulary: 151936,
    tiedEmbeddings: false,
  },
  'qwen3-14b': {
    decoder: 'qwen3',
    embedding: 5120,
    layers: 40,
    queryHeads: 40,
    kvHeads: 8,
    headDim: 128,
    mlp: 17408,
    vocabulary: 151936,
    tiedEmbeddings: false,
  },
  'qwen3-32b': {
    decoder: 'qwen3',
    embedding: 5120,
    layers: 64,
    queryHeads: 64,
    kvHeads: 8,
    headDim: 128,
    mlp: 25600,
    vocabulary: 151936,
    tiedEmbeddings: false,
  },
  'qwen3-30b-a3b': {
    decoder: 'qwen3_moe',
    embedding: 2048,
    layers: 48,
    queryHeads: 32,
    kvHeads: 4,
    headDim: 128,
    mlp: 768,
    vocabulary: 151936,
    tiedEmbeddings: false,
    experts: { count: 128, mlp: 768, shared: 0, everyLayers: 1, leadingDenseLayers: 0 },
  },
  'qwen3-235b-a22b': {
    decoder: 'qwen3_moe',
    embedding: 4096,
    layers: 94,
    queryHeads: 64,
    kvHeads: 4,
    headDim: 128,
    mlp: 1536,
    vocabulary: 151936,
    tiedEmbeddings: false,
    experts: { count: 128, mlp: 1536, shared: 0, everyLayers: 1, leadingDenseLayers: 0 },
  },
  'qwen3-480b-a35b': {
    decoder: 'qwen3_moe',
    embedding: 6144,
    layers: 62,
    queryHeads: 96,
    kvHeads: 8,
    headDim: 128,
    mlp: 2560,
    vocabulary: 151936,
    tiedEmbeddings: false,
    experts: { count: 160, mlp: 2560, shared: 0, everyLayers: 1, leadingDenseLayers: 0 },
  },
  'olmo3-7b': {
    decoder: 'olmo3',
    embedding: 4096,
    layers: 32,
    queryHeads: 32,
    kvHeads: 32,
    headDim: 128,
    mlp: 11008,
    vocabulary: 100278,
    tiedEmbeddings: false,
  },
  'olmo3-32b': {
    decoder: 'olmo3',
    embedding: 5120,
    layers: 64,
    queryHeads: 40,
    kvHeads: 8,
    headDim: 128,
    mlp: 27648,
    vocabulary: 100278,
    tiedEmbeddings: false,
  },
  'gpt-oss-20b': {
    decoder: 'gpt_oss',
    embedding: 2880,
    layers: 24,
    queryHeads: 64,
    kvHeads: 8,
    headDim: 64,
    mlp: 2880,
    vocabulary: 201088,
    tiedEmbeddings: false,
    experts: { count: 32, mlp: 2880, shared: 0, everyLayers: 1, leadingDenseLayers: 0 },
  },
  'gpt-oss-120b': {
    decoder: 'gpt_oss',
    embedding: 2880,
    layers: 36,
    queryHeads: 64,
    kvHeads: 8,
    headDim: 64,
    mlp: 2880,
    vocabulary: 201088,
    tiedEmbeddings: false,
    experts: { count: 128, mlp: 2880, shared: 0, everyLayers: 1, leadingDenseLayers: 0 },
  },
  'gpt3-6b': {
    decoder: 'gpt3',
    embedding: 3072,
    layers: 48,
    queryHeads: 12,
    kvHeads: 12,
    headDim: 256,
    mlp: 12288,
    vocabulary: 32768,
    tiedEmbeddings: true,
    positions: 16384,
  },
  'gpt3-22b': {
    decoder: 'gpt3',
    embedding: 6144,
    layers: 48,
    queryHeads: 24,
    kvHeads: 24,
    headDim: 256,
    mlp: 24576,
    vocabulary: 32768,
    tiedEmbeddings: true,
    positions: 16384,
  },
  'gpt3-175b': {
    decoder: 'gpt3',
    embedding: 12288,
    layers: 96,
    queryHeads: 96,
    kvHeads: 96,
    headDim: 128,
    mlp: 49152,
    vocabulary: 50304,
    tiedEmbeddings: true,
    positions: 16384,
  },
  'llama4-17b-16e': {
    decoder: 'llama4',
    embedding: 5120,
    layers: 48,
    queryHeads: 40,
    kvHeads: 8,
    headDim: 128,
    mlp: 8192,
    vocabulary: 202048,
    tiedEmbeddings: false,
    experts: { count: 16, mlp: 8192, shared: 1, everyLayers: 1, leadingDenseLayers: 0 },
  },
  'llama4-17b-128e': {
    decoder: 'llama4',
    embedding: 5120,
    layers: 48,
    queryHeads: 40,
    kvHeads: 8,
    headDim: 128,
    mlp: 16384,
    vocabulary: 202048,
    tiedEmbeddings: false,
    experts: { count: 128, mlp: 8192, shared: 1, everyLayers: 2, leadingDenseLayers: 0 },
  },
  'deepseek2-16b': {
    decoder: 'deepseek',
    embedding: 2048,
    layers: 27,
    queryHeads: 16,
    kvHeads: 16,
    headDim: 128,
    mlp: 10944,
    vocabulary: 102400,
    tiedEmbeddings: false,
    experts: { count: 64, mlp: 1408, shared: 2, everyLayers: 1, leadingDenseLayers: 1 },
    latentAttention: { queryRank: 0, kvRank: 512, plainHeadDim: 128, rotaryHeadDim: 64, valueHeadDim: 128 },
  },
  'deepseek2-236b': {
    decoder: 'deepseek',
    embedding: 5120,
    layers: 60,
    queryHeads: 128,
    kvHeads: 128,
    headDim: 128,
    mlp: 12288,
    vocabulary: 102400,
    tiedEmbeddings: false,
    experts: { count: 160, mlp: 1536, shared: 2, everyLayers: 1, leadingDenseLayers: 1 },
    latentAttention: {
      queryRank: 1536,
      kvRank: 512,
      plainHeadDim: 128,
      rotaryHeadDim: 64,
      valueHeadDim: 128,
    },
  },
  'deepseek3-671b': {
    decoder: 'deepseek',
    embedding: 7168,
    layers: 61,
    queryHeads: 128,
    kvHeads: 128,
    headDim: 128,
    mlp: 18432,
    vocabulary: 129280,
    tiedEmbeddings: false,
    experts: { count: 256, mlp: 2048, shared: 1, everyLayers: 1, leadingDenseLayers: 3 },
    latentAttention: {
      queryRank: 1536,
      kvRank: 512,
      plainHeadDim: 128,
      rotaryHeadDim: 64,
      valueHeadDim: 128,
    },
  },
  'kimi-k2-1t': {
    decoder: 'deepseek',
    embedding: 7168,
    layers: 61,
    queryHeads: 64,
    kvHeads: 64,
    headDim: 128,
    mlp: 18432,
    vocabulary: 163840,
    tiedEmbeddings: false,
    experts: { count: 384, mlp: 2048, shared: 1, everyLayers: 1, leadingDenseLayers: 1 },
    latentAttention: {
      queryRank: 1536,
      kvRank: 512,
      plainHeadDim: 128,
      rotaryHeadDim: 64,
      valueHeadDim: 128,
    },
  },
};

/** Models of the same dimensions as another one. */
const SAME_DIMENSIONS: Readonly<Record<string, string>> = {
  'llama3.1-8b': 'llama3-8b',
  'llama3.1-70b': 'llama3-70b',
  'llama3.3-70b': 'llama3-70b',
  'qwen3-1.7b-base': 'qwen3-1.7b',
  'qwen3-4b-base': 'qwen3-4b',
  'qwen3-4b-thinking-2507': 'qwen3-4b',
  'qwen3-8b-base': 'qwen3-8b',
  'qwen3-14b-base': 'qwen3-14b',
  'qwen3-30b-a3b-base': 'qwen3-30b-a3b',
  'olmo3-7b-pt': 'olmo3-7b',
};

const GATED_DELTA = 'layers with gated delta nets are not counted';

/** Models MaxText 0.2.5 accepts and this project does not count, with the reason. */
const UNCOUNTED: Readonly<Record<string, string>> = {
  'gemma4-e2b': 'per-layer embeddings and shared keys and values are not counted',
  'gemma4-e4b': 'per-layer embeddings and shared keys and values are not counted',
  'gemma4-26b': 'local and global layers of different head sizes are not counted',
  'gemma4-31b': 'local and global layers of different head sizes are not counted',
  'qwen3-next-80b-a3b': GATED_DELTA,
  'qwen3.5-35b-a3b': GATED_DELTA,
  'qwen3.5-397b-a17b': GATED_DELTA,
  'deepseek3.2-671b': 'the sparse attention indexer is not counted',
  'deepseek4-284b': 'compressed attention and hyper-connections are not counted',
};

/** A model MaxText knows by name. */
export type CatalogueEntry =
  | { readonly name: string; readonly architecture: Architecture }
  | { readonly name: string; readonly uncounted: string };

/** Names of all models, countable ones first. */
export const MODEL_NAMES: readonly string[] = [
  ...Object.keys(ARCHITECTURES),
  ...Object.keys(SAME_DIMENSIONS),
  ...Object.keys(UNCOUNTED),
];

/** The catalogue's entry for a MaxText `model_name`, or undefined when MaxText 0.2.5 has no such model. */
export function findModel(name: string): CatalogueEntry | undefined {
  const architecture = own(ARCHITECTURES, own(SAME_DIMENSIONS, name) ?? name);
  if (architecture !== undefined) return { name, architecture };
  const uncounted = own(UNCOUNTED, name);
  return uncounted === undefined ? undefined : { name, uncounted };
}

/** A value of a table, never one that every object inherits. */
function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
