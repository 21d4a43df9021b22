import type { Architecture, Decoder, Experts, LatentAttention } from './model-catalogue';

/** What a dimension of a parameter means; MaxText's logical axes, on which its sharding rules work. */
export type LogicalAxis =
  | 'layers'
  | 'vocab'
  | 'embed_vocab'
  | 'embed'
  | 'embed_attn'
  | 'embed_moe'
  | 'embed_router'
  | 'mlp'
  | 'mlp_moe'
  | 'exp'
  | 'heads'
  | 'q_heads'
  | 'kv_heads'
  | 'q_lora'
  | 'kv_lora'
  | 'norm'
  | 'whole';

/** One dimension of a parameter. */
export interface Dimension {
  readonly axis: LogicalAxis;
  readonly size: number;
}

/** One trained array, with all layers of its kind stacked. */
export interface ParameterArray {
  readonly name: string;
  readonly dimensions: readonly Dimension[];
}

/** What a decoder block has besides the matrices that all have. */
interface BlockFacts {
  /** Layers that one of MaxText's layers holds. */
  readonly sublayers: number;
  /** Norms of the residual stream in a layer. */
  readonly norms: number;
  /** Norms with a bias beside the scale. */
  readonly normBias: boolean;
  /** Scales of the query and key norms: none, one per element of a head, or one per element of all heads. */
  readonly queryKeyNorm: 'none' | 'head' | 'all heads';
  readonly queryKeyValueBias: boolean;
  readonly attentionOutputBias: boolean;
  /** One learnt logit per query head. */
  readonly attentionSinks: boolean;
  /** Query, key and value are one array. */
  readonly fusedQueryKeyValue: boolean;
  /** Matrices into the feed-forward width: 2 when gated. */
  readonly mlpInputs: 1 | 2;
  readonly mlpBias: boolean;
  /** Logical axis of the router's input. */
  readonly routerInput: LogicalAxis;
}

const PLAIN: BlockFacts = {
  sublayers: 1,
  norms: 2,
  normBias: false,
  queryKeyNorm: 'none',
  queryKeyValueBias: false,
  attentionOutputBias: false,
  attentionSinks: false,
  fusedQueryKeyValue: false,
  mlpInputs: 2,
  mlpBias: false,
  routerInput: 'embed',
};

/** @see https://github.com/AI-Hypercomputer/maxtext src/maxtext/models, 0.2.5 (shapes of the abstract training state) */
const BLOCKS: Readonly<Record<Decoder, BlockFacts>> = {
  llama2: PLAIN,
  mistral: PLAIN,
  mixtral: PLAIN,
  gemma: PLAIN,
  gemma2: { ...PLAIN, sublayers: 2, norms: 4 },
  gemma3: { ...PLAIN, norms: 4, queryKeyNorm: 'head' },
  qwen2: { ...PLAIN, queryKeyValueBias: true },
  qwen3: { ...PLAIN, queryKeyNorm: 'head' },
  qwen3_moe: { ...PLAIN, queryKeyNorm: 'head' },
  olmo3: { ...PLAIN, queryKeyNorm: 'all heads' },
  gpt_oss: {
    ...PLAIN,
    queryKeyValueBias: true,
    attentionOutputBias: true,
    attentionSinks: true,
    mlpBias: true,
  },
  gpt3: {
    ...PLAIN,
    normBias: true,
    queryKeyValueBias: true,
    attentionOutputBias: true,
    fusedQueryKeyValue: true,
    mlpInputs: 1,
    mlpBias: true,
  },
  llama4: { ...PLAIN, routerInput: 'embed_router' },
  deepseek: { ...PLAIN, routerInput: 'embed_router' },
};

/** Every trained array of a model, as MaxText 0.2.5 builds it. */
export function parameterArrays(model: Architecture): ParameterArray[] {
  const block = BLOCKS[model.decoder];
  const layers = model.layers * block.sublayers;
  const expertLayers = model.experts === undefined ? 0 : countExpertLayers(model.layers, model.experts);
  return [
    ...vocabularyArrays(model, block),
    ...normArrays('layer_norm', model.embedding, layers, block.norms, block.normBias),
    ...(model.latentAttention === undefined
      ? attentionArrays(model, block, layers)
      : latentAttentionArrays(model, model.latentAttention, layers)),
    ...denseArrays('mlp', model.embedding, model.mlp, layers - expertLayers, block),
    ...(model.experts === undefined ? [] : expertArrays(model.embedding, model.experts, expertLayers, block)),
  ].filter((array) => elementsOf(array) > 0);
}

/** Number of elements of an array. */
export function elementsOf(array: ParameterArray): number {
  return array.dimensions.reduce((product, dimension) => product * dimension.size, 1);
}

/** Layers with experts among `layers`. */
function countExpertLayers(layers: number, experts: Experts): number {
  return Math.floor((layers - experts.leadingDenseLayers) / experts.everyLayers);
}

function array(name: string, layers: number, ...dimensions: [LogicalAxis, number][]): ParameterArray {
  return {
    name,
    dimensions: [
      { axis: 'layers', size: layers },
      ...dimensions.map(([axis, size]): Dimension => ({ axis, size })),
    ],
  };
}

function vocabularyArrays(model: Architecture, block: BlockFacts): ParameterArray[] {
  const table = (name: string, rows: number): ParameterArray => ({
    name,
    dimensions: [
      { axis: 'vocab', size: rows },
      { axis: 'embed_vocab', size: model.embedding },
    ],
  });
  return [
    table('token_embedding', model.vocabulary),
    ...(model.tiedEmbeddings ? [] : [table('logits', model.vocabulary)]),
    ...(model.positions === undefined ? [] : [table('position_embedding', model.positions)]),
    ...normArrays('decoder_norm', model.embedding, 1, 1, block.normBias),
  ];
}

function normArrays(
  name: string,
  width: number,
  layers: number,
  norms: number,
  bias: boolean,
): ParameterArray[] {
  return [array(name, layers * norms * (bias ? 2 : 1), ['norm', width])];
}

function attentionArrays(model: Architecture, block: BlockFacts, layers: number): ParameterArray[] {
  const { embedding, queryHeads, kvHeads, headDim } = model;
  const inputs: ParameterArray[] = block.fusedQueryKeyValue
    ? [
        array(
          'qkv',
          layers,
          ['embed_attn', embedding],
          ['whole', 3],
          ['heads', queryHeads],
          ['whole', headDim],
        ),
      ]
    : [
        array('query', layers, ['embed_attn', embedding], ['q_heads', queryHeads], ['whole', headDim]),
        array('key', layers, ['embed_attn', embedding], ['kv_heads', kvHeads], ['whole', headDim]),
        array('value', layers, ['embed_attn', embedding], ['kv_heads', kvHeads], ['whole', headDim]),
      ];
  return [
    ...inputs,
    array('attention_output', layers, ['heads', queryHeads], ['whole', headDim], ['embed_attn', embedding]),
    ...(block.queryKeyValueBias ? inputs.map((input) => biasOf(input)) : []),
    ...(block.attentionOutputBias ? [array('attention_output_bias', layers, ['embed_attn', embedding])] : []),
    ...(block.attentionSinks ? [array('attention_sinks', layers, ['whole', queryHeads])] : []),
    ...queryKeyNormArrays(model, block, layers),
  ];
}

/** The bias of a projection: all its dimensions but the input's. */
function biasOf(projection: ParameterArray): ParameterArray {
  return {
    name: `${projection.name}_bias`,
    dimensions: projection.dimensions.filter((dimension) => dimension.axis !== 'embed_attn'),
  };
}

function queryKeyNormArrays(model: Architecture, block: BlockFacts, layers: number): ParameterArray[] {
  switch (block.queryKeyNorm) {
    case 'none':
      return [];
    case 'head':
      return [array('query_key_norm', 2 * layers, ['norm', model.headDim])];
    case 'all heads':
      return [
        array('query_norm', layers, ['norm', model.queryHeads * model.headDim]),
        array('key_norm', layers, ['norm', model.kvHeads * model.headDim]),
      ];
  }
}

function latentAttentionArrays(
  model: Architecture,
  latent: LatentAttention,
  layers: number,
): ParameterArray[] {
  const { embedding, queryHeads } = model;
  const headDim = latent.plainHeadDim + latent.rotaryHeadDim;
  const query =
    latent.queryRank === 0
      ? [array('query', layers, ['embed_attn', embedding], ['q_heads', queryHeads], ['whole', headDim])]
      : [
          array('query_down', layers, ['embed_attn', embedding], ['whole', latent.queryRank]),
          array(
            'query_up',
            layers,
            ['q_lora', latent.queryRank],
            ['q_heads', queryHeads],
            ['whole', headDim],
          ),
          array('query_norm', layers, ['norm', latent.queryRank]),
        ];
  return [
    ...query,
    array('kv_down', layers, ['embed_attn', embedding], ['whole', latent.kvRank + latent.rotaryHeadDim]),
    array(
      'kv_up',
      layers,
      ['kv_lora', latent.kvRank],
      ['kv_heads', queryHeads],
      ['whole', latent.plainHeadDim + latent.valueHeadDim],
    ),
    array('kv_norm', layers, ['norm', latent.kvRank]),
    array(
      'attention_output',
      layers,
      ['heads', queryHeads],
      ['whole', latent.valueHeadDim],
      ['embed_attn', embedding],
    ),
  ];
}

function denseArrays(
  name: string,
  embedding: number,
  mlp: number,
  layers: number,
  block: BlockFacts,
): ParameterArray[] {
  return [
    array(`${name}_in`, layers * block.mlpInputs, ['embed', embedding], ['mlp', mlp]),
    array(`${name}_out`, layers, ['mlp', mlp], ['embed', embedding]),
    ...(block.mlpBias
      ? [
          array(`${name}_in_bias`, layers * block.mlpInputs, ['mlp', mlp]),
          array(`${name}_out_bias`, layers, ['embed', embedding]),
        ]
      : []),
  ];
}

function expertArrays(
  embedding: number,
  experts: Experts,
  layers: number,
  block: BlockFacts,
): ParameterArray[] {
  const { count, mlp, shared } = experts;
  return [
    array('router', layers, [block.routerInput, embedding], ['whole', count]),
    array('experts_in', layers * block.mlpInputs, ['exp', count], ['embed_moe', embedding], ['mlp_moe', mlp]),
    array('experts_out', layers, ['exp', count], ['mlp_moe', mlp], ['embed_moe', embedding]),
    ...(block.mlpBias
      ? [
          array('router_bias', layers, ['whole', count]),
          array('experts_in_bias', layers * block.mlpInputs, ['exp', count], ['mlp', mlp]),
          array('experts_out_bias', layers, ['exp', count], ['whole', embedding]),
        ]
      : []),
    ...(shared === 0 ? [] : denseArrays('shared_experts', embedding, mlp * shared, layers, block)),
  ];
}
