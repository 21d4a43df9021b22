import { pathText } from '../../lib/problems';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { checkDivision, explainState, stateMemory, uncountedState } from '../../lib/training/maxtext/memory';
import { gib } from '../../lib/training/words';
import type { Dtype } from '../../lib/training/maxtext/memory';
import { MESH_AXES } from '../../lib/training/maxtext/mesh';
import type { MeshAxis, ResolvedMesh } from '../../lib/training/maxtext/mesh';
import { MODEL_NAMES, findModel } from '../../lib/training/maxtext/model-catalogue';
import type { Architecture } from '../../lib/training/maxtext/model-catalogue';
import { elementsOf, parameterArrays } from '../../lib/training/maxtext/parameter-arrays';
import { partsOf } from '../../lib/training/maxtext/sharding-rules';

/** Bytes per device of MaxText 0.2.5's abstract training state; made by compile_check/record_states.py. */
interface RecordedState {
  readonly model: string;
  readonly ici: Partial<Record<MeshAxis, number>>;
  readonly dcn: Partial<Record<MeshAxis, number>>;
  readonly weightDtype: Dtype;
  readonly muDtype: Dtype;
  readonly stateBytes: number;
}

const RECORDED = JSON.parse(
  readFileSync(join(__dirname, 'maxtext-states.json'), 'utf8'),
) as readonly RecordedState[];

function architectureOf(name: string): Architecture {
  const model = findModel(name);
  if (model === undefined || !('architecture' in model)) throw new Error(`${name} is not counted`);
  return model.architecture;
}

const ONE_DEVICE: ResolvedMesh = { ici: {}, dcn: {} };

test.each(
  RECORDED.map(
    (state) =>
      [
        `${state.model} ${JSON.stringify([state.ici, state.dcn, state.weightDtype, state.muDtype])}`,
        state,
      ] as const,
  ),
)(
  'the state of %s is within 0.2 %% of MaxText’s own',
  (_, { model, ici, dcn, weightDtype, muDtype, stateBytes }) => {
    const estimate = stateMemory({
      architecture: architectureOf(model),
      mesh: { ici, dcn },
      weightDtype,
      muDtype,
    });
    expect(Math.abs(estimate.stateBytes / stateBytes - 1)).toBeLessThan(0.002);
  },
);

test('bytes follow the number formats', () => {
  const architecture = architectureOf('llama3-8b');
  const n = 8_030_261_248;
  expect(stateMemory({ architecture, mesh: ONE_DEVICE, weightDtype: 'float32' })).toEqual({
    parameters: n,
    parametersPerDevice: n,
    weightsBytes: 4 * n,
    firstMomentBytes: 4 * n,
    secondMomentBytes: 4 * n,
    gradientBytes: 4 * n,
    stateBytes: 12 * n,
    leastBytes: 16 * n,
  });
  expect(
    stateMemory({ architecture, mesh: ONE_DEVICE, weightDtype: 'float32', muDtype: 'bfloat16' }).stateBytes,
  ).toBe(10 * n);
  expect(stateMemory({ architecture, mesh: ONE_DEVICE, weightDtype: 'bfloat16' })).toMatchObject({
    stateBytes: 6 * n,
    gradientBytes: 2 * n,
  });
});

const counted = MODEL_NAMES.filter((name) => 'architecture' in (findModel(name) ?? {}));
const meshes = fc
  .dictionary(fc.constantFrom<MeshAxis>(...MESH_AXES), fc.constantFrom(2, 4, 8), { maxKeys: 4 })
  .map((ici): ResolvedMesh => ({ ici, dcn: {} }));

test('a device holds at least its even share and at most everything', () => {
  fc.assert(
    fc.property(fc.constantFrom(...counted), meshes, (name, mesh) => {
      const { parameters, parametersPerDevice } = stateMemory({
        architecture: architectureOf(name),
        mesh,
        weightDtype: 'float32',
      });
      const devices = Object.values(mesh.ici).reduce((all, size) => all * size, 1);
      const slack = 1e-6 * parameters;
      return parametersPerDevice <= parameters + slack && parametersPerDevice >= parameters / devices - slack;
    }),
  );
});

test('no array is divided twice over the same devices', () => {
  fc.assert(
    fc.property(fc.constantFrom(...counted), meshes, (name, mesh) => {
      const devices = Object.values(mesh.ici).reduce((all, size) => all * size, 1);
      return parameterArrays(architectureOf(name)).every(
        (array) =>
          elementsOf(array) > 0 &&
          devices % partsOf(array, mesh).reduce((all, parts) => all * parts, 1) === 0,
      );
    }),
  );
});

test('data parallelism divides nothing', () => {
  const architecture = architectureOf('llama3-8b');
  const memory = stateMemory({
    architecture,
    mesh: { ici: { data: 16 }, dcn: { data: 2 } },
    weightDtype: 'float32',
  });
  expect(memory.parametersPerDevice).toBe(memory.parameters);
});

test('the arithmetic is told in one line', () => {
  const input = {
    architecture: architectureOf('llama3-70b'),
    mesh: { ici: { fsdp: 4, tensor: 4 }, dcn: { fsdp: 2 } },
    weightDtype: 'bfloat16',
    muDtype: 'float32',
  } as const;
  expect(explainState(input)).toBe(
    '70.55B parameters, 2.21B per device (ici fsdp 4 x tensor 4, dcn fsdp 2), times 8 bytes (weights bfloat16, first moment float32, second moment bfloat16) = 16.4 GiB of state, and 4.1 GiB of gradients',
  );
  expect(gib(2 ** 30)).toBe('1.0 GiB');
});

test.each([
  [['opt_type=muon'], 'opt_type=muon: only AdamW is counted'],
  [['dtype=bfloat16', 'opt_type=adamw', 'enable_diloco=false'], undefined],
  [['enable_diloco=true'], 'enable_diloco=true: it adds an outer optimizer'],
  [['toString=1'], undefined],
])('arguments %j make the estimate inapplicable: %s', (entries, reason) => {
  expect(uncountedState(entries)).toBe(reason);
});

test.each<[string, string, ResolvedMesh, readonly string[]]>([
  ['an even mesh', 'llama3-8b', { ici: { fsdp: 4, tensor: 4 }, dcn: {} }, []],
  [
    'more tensor parallelism than key and value heads',
    'llama3-8b',
    { ici: { tensor: 16 }, dcn: {} },
    ['8 key and value heads divide evenly over the devices that share them, here 16'],
  ],
  [
    'a vocabulary that does not divide',
    'olmo3-7b',
    { ici: { tensor: 4 }, dcn: {} },
    ['100278 vocabulary entries divide evenly over the devices that share them, here 4'],
  ],
  [
    'more expert parallelism than experts',
    'mixtral-8x7b',
    { ici: { expert: 16 }, dcn: {} },
    ['8 experts divide evenly over the devices that share them, here 16'],
  ],
  [
    'stages that do not divide the layers',
    'gemma-2b',
    { ici: { pipeline: 4 }, dcn: {} },
    ['18 decoder layers divide evenly over the devices that share them, here 4'],
  ],
])('division over %s', (_, model, mesh, rules) => {
  const problems = checkDivision(architectureOf(model), mesh);
  expect(problems.map((problem) => problem.rule)).toEqual(rules);
  expect(problems.every((problem) => pathText(problem.path) === 'mesh')).toBe(true);
});
