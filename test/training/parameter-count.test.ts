import { MODEL_NAMES, findModel } from '../../lib/training/maxtext/model-catalogue';
import type { Architecture } from '../../lib/training/maxtext/model-catalogue';
import { parameterCount } from '../../lib/training/maxtext/parameter-count';

function architectureOf(name: string): Architecture {
  const model = findModel(name);
  if (model === undefined || !('architecture' in model)) throw new Error(`${name} is not counted`);
  return model.architecture;
}

// Elements of all trained arrays of MaxText 0.2.5's abstract model, which compile_check/record_states.py prints.
test.each([
  ['llama2-7b', 6_738_415_616],
  ['llama2-13b', 13_015_864_320],
  ['llama2-70b', 68_976_648_192],
  ['llama3-8b', 8_030_261_248],
  ['llama3.1-8b', 8_030_261_248],
  ['llama3-70b', 70_553_706_496],
  ['llama3.1-70b', 70_553_706_496],
  ['llama3.3-70b', 70_553_706_496],
  ['llama3.1-405b', 405_853_388_800],
  ['mistral-7b', 7_241_732_096],
  ['mixtral-8x7b', 46_702_792_704],
  ['mixtral-8x22b', 140_630_071_296],
  ['gemma-2b', 2_506_434_560],
  ['gemma-7b', 8_538_074_112],
  ['gemma2-2b', 2_614_636_800],
  ['gemma2-9b', 9_242_164_736],
  ['gemma2-27b', 27_227_718_144],
  ['gemma3-4b', 3_880_099_328],
  ['gemma3-12b', 11_765_788_416],
  ['gemma3-27b', 27_009_002_240],
  ['qwen2.5-1.5b', 1_543_714_304],
  ['qwen2.5-7b', 7_615_616_512],
  ['qwen2.5-14b', 14_770_033_664],
  ['qwen3-0.6b', 596_049_920],
  ['qwen3-1.7b', 1_720_574_976],
  ['qwen3-4b', 4_022_468_096],
  ['qwen3-8b', 8_190_735_360],
  ['qwen3-14b', 14_768_307_200],
  ['qwen3-32b', 32_762_123_264],
  ['qwen3-30b-a3b', 30_532_122_624],
  ['qwen3-235b-a22b', 235_093_634_560],
  ['qwen3-480b-a35b', 480_154_875_392],
  ['olmo3-7b', 7_298_011_136],
  ['olmo3-32b', 32_233_522_176],
  ['gpt-oss-20b', 20_914_757_184],
  ['gpt-oss-120b', 116_829_156_672],
  ['gpt3-175b', 174_780_997_632],
  ['llama4-17b-16e', 107_769_861_120],
  ['llama4-17b-128e', 400_711_848_960],
  ['deepseek2-16b', 15_706_484_224],
  ['deepseek2-236b', 235_741_434_880],
  ['deepseek3-671b', 671_026_404_352],
  ['kimi-k2-1t', 1_026_408_209_408],
])('%s has %d parameters', (name, parameters) => {
  expect(parameterCount(architectureOf(name))).toBe(parameters);
});

test('a model whose parameters are not counted says why', () => {
  expect(findModel('qwen3-next-80b-a3b')).toEqual({
    name: 'qwen3-next-80b-a3b',
    uncounted: 'layers with gated delta nets are not counted',
  });
});

test('every name is found once, and names every object inherits are not models', () => {
  expect(new Set(MODEL_NAMES).size).toBe(MODEL_NAMES.length);
  expect(MODEL_NAMES.filter((name) => findModel(name) === undefined)).toEqual([]);
  expect(['constructor', '__proto__', 'toString', 'llama3-405b'].map(findModel)).toEqual(
    Array(4).fill(undefined),
  );
});
