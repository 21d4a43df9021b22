import fc from 'fast-check';
import { suggestFits } from '../../lib/training/maxtext/fit-suggestions';
import { argumentMap, meshOfArguments, stateOfArguments } from '../../lib/training/maxtext/arguments';
import { isProblemList, resolveMesh } from '../../lib/training/maxtext/mesh';
import { isProblems, resolveSlice } from '../../lib/tpu';
import type { TpuSlice } from '../../lib/tpu';

function sliceOf(generation: string, topology: string): TpuSlice {
  const slice = resolveSlice({ generation, topology });
  if (isProblems(slice)) throw new Error(JSON.stringify(slice));
  return slice;
}

const V6E = sliceOf('v6e', '4x4');
const USABLE = 31.24 * 2 ** 30;

const LLAMA_70B = [
  'model_name=llama3-70b',
  'per_device_batch_size=1',
  'ici_fsdp_parallelism=4',
  'ici_tensor_parallelism=4',
  'dcn_data_parallelism=1',
  'dcn_fsdp_parallelism=2',
];

test('70B in full precision on two v6e 4x4 leads to bf16, since nothing else leaves room for the state', () => {
  const suggestions = suggestFits({
    maxtextArguments: LLAMA_70B,
    slice: V6E,
    slices: { min: 2, max: 2 },
    usableBytes: USABLE,
  });
  expect(suggestions.map(({ title }) => title)).toEqual([
    'muDtype: bfloat16',
    'weightDtype: bfloat16, muDtype: bfloat16',
    'weightDtype: bfloat16, muDtype: bfloat16, perDeviceBatchSize: 0.5',
  ]);
  expect(suggestions[1]?.maxtextArguments).toEqual([
    ...LLAMA_70B,
    'weight_dtype=bfloat16',
    'mu_dtype=bfloat16',
  ]);
});

test('a state that every slice repeats is divided over slices first, and a batch of many examples made smaller', () => {
  const suggestions = suggestFits({
    maxtextArguments: ['model_name=llama3-8b', 'per_device_batch_size=8', 'remat_policy=minimal'],
    slice: V6E,
    slices: { min: 1, max: 2 },
    usableBytes: USABLE,
  });
  expect(suggestions.map(({ title }) => title)).toEqual([
    'perDeviceBatchSize: 4',
    'perDeviceBatchSize: 2',
    'mesh.dcn: {data: 1, fsdp: -1}',
    'mesh.ici: {fsdp: -1, tensor: 4}',
    'muDtype: bfloat16',
    'weightDtype: bfloat16, muDtype: bfloat16',
    'rematPolicy: full',
    'weightDtype: bfloat16, muDtype: bfloat16, mesh.dcn: {data: 1, fsdp: -1}',
    'weightDtype: bfloat16, muDtype: bfloat16, mesh.dcn: {data: 1, fsdp: -1}, perDeviceBatchSize: 4',
  ]);
});

test('nothing is suggested where no change makes room', () => {
  const maxtextArguments = ['model_name=llama3.1-405b'];
  expect(
    suggestFits({ maxtextArguments, slice: V6E, slices: { min: 1, max: 1 }, usableBytes: USABLE }),
  ).toEqual([]);
});

test('every suggestion is a mesh MaxText takes, with room for state and gradients', () => {
  const models = fc.constantFrom('llama3-8b', 'llama3-70b', 'gemma2-9b', 'qwen3-14b', 'mixtral-8x7b');
  fc.assert(
    fc.property(
      models,
      fc.constantFrom('1', '2', '6'),
      fc.integer({ min: 1, max: 3 }),
      (model, batch, count) => {
        const maxtextArguments = [`model_name=${model}`, `per_device_batch_size=${batch}`];
        const slices = { min: count, max: count };
        return suggestFits({ maxtextArguments, slice: V6E, slices, usableBytes: USABLE }).every(
          (suggestion) => {
            const mesh = resolveMesh(
              meshOfArguments(argumentMap(suggestion.maxtextArguments)),
              V6E.devices,
              count,
            );
            if (isProblemList(mesh)) return false;
            const state = stateOfArguments(suggestion.maxtextArguments, mesh);
            return state !== undefined && state.leastBytes <= USABLE;
          },
        );
      },
    ),
  );
});

test('the state of arguments is unknown where it is not counted', () => {
  const mesh = { ici: { fsdp: 16 }, dcn: {} };
  expect(stateOfArguments(['model_name=llama3-8b', 'opt_type=muon'], mesh)).toBeUndefined();
  expect(stateOfArguments(['model_name=gemma4-31b'], mesh)).toBeUndefined();
  expect(stateOfArguments(['model_name=none'], mesh)).toBeUndefined();
  expect(stateOfArguments(['model_name=llama3-8b', 'weight_dtype=bfloat16'], mesh)?.stateBytes).toBe(
    (6 * 8_030_261_248) / 16 + (6 * 65 * 4096 * 15) / 16,
  );
});
