import { resolveModel, splitArgument } from '../../lib/training/maxtext/model';

test('a named model has its own dimensions', () => {
  expect(resolveModel('llama3-8b', ['dtype=bfloat16'])).toMatchObject({
    name: 'llama3-8b',
    architecture: { embedding: 4096, layers: 32, kvHeads: 8, vocabulary: 128256 },
  });
});

test('arguments change a model where MaxText allows it', () => {
  const small = [
    'override_model_config=true',
    'base_num_decoder_layers=2',
    'base_emb_dim=512',
    'vocab_size=1_024',
  ];
  expect(resolveModel('llama3-8b', small)).toMatchObject({
    architecture: { embedding: 512, layers: 2, vocabulary: 1024, kvHeads: 8 },
  });
  expect(resolveModel('default', ['base_mlp_dim=1024', 'logits_via_embedding=True'])).toMatchObject({
    architecture: { embedding: 2048, mlp: 1024, tiedEmbeddings: true },
  });
});

test('an argument that repeats the model’s own value is allowed', () => {
  expect(resolveModel('llama3-8b', ['base_emb_dim=4096'])).toMatchObject({ name: 'llama3-8b' });
});

test('fails on a value MaxText would refuse, once for each argument', () => {
  expect(resolveModel('llama3-8b', ['steps=1', 'base_emb_dim=512', 'head_dim=none'])).toEqual([
    {
      id: 'MODEL_OVERRIDE',
      path: ['arguments', 1],
      value: 'base_emb_dim=512',
      rule: 'llama3-8b has base_emb_dim=4096, and MaxText refuses another value',
      fix: 'leave base_emb_dim out, or add override_model_config=true',
    },
    {
      id: 'MODEL_SIZE',
      path: ['arguments', 2],
      value: 'head_dim=none',
      rule: 'head_dim is a whole number of at least 1',
      fix: 'leave head_dim out for the model’s own',
    },
  ]);
});

test('fails on an unknown model and suggests the nearest', () => {
  expect(resolveModel('lama3-8b', [])).toMatchObject([
    { path: ['model'], value: 'lama3-8b', fix: 'did you mean llama3-8b?' },
  ]);
});

test('a model that cannot be counted, or is changed beyond what is counted, says why', () => {
  expect(resolveModel('gemma4-e2b', [])).toEqual({
    name: 'gemma4-e2b',
    uncounted: 'per-layer embeddings and shared keys and values are not counted',
  });
  expect(resolveModel('default', ['num_experts=8', 'mtp_num_layers=1'])).toEqual({
    name: 'default',
    uncounted: 'the effect of num_experts, mtp_num_layers is not counted',
  });
});

test('arguments split at the first equals sign', () => {
  expect(splitArgument('compile_xla_flags=--a=b --c=d')).toEqual(['compile_xla_flags', '--a=b --c=d']);
  expect(splitArgument('flag')).toEqual(['flag', '']);
});
