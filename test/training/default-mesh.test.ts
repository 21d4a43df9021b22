import { usableHbmBytes } from '../../lib/training/compiler';
import { chooseMesh } from '../../lib/training/maxtext/default-mesh';
import type { StateOfModel } from '../../lib/training/maxtext/default-mesh';
import { stateMemory } from '../../lib/training/maxtext/memory';
import { isProblemList, resolveMesh } from '../../lib/training/maxtext/mesh';
import { findModel } from '../../lib/training/maxtext/model-catalogue';
import { isProblems, resolveSlice } from '../../lib/tpu';
import type { TpuSlice } from '../../lib/tpu';
import { RUN, runProblems, trainingRun } from '../support/training-run';
import { maxTextOf } from '../support/maxtext-facts';

function sliceOf(topology: string): TpuSlice {
  const slice = resolveSlice({ generation: 'v6e', topology });
  if (isProblems(slice)) throw new Error(topology);
  return slice;
}

function stateOf(name: string): StateOfModel {
  const model = findModel(name);
  if (model === undefined || !('architecture' in model)) throw new Error(`${name} is not counted`);
  return { architecture: model.architecture, weightDtype: 'float32' };
}

const two = { slice: sliceOf('4x4'), slices: { min: 2, max: 2 } };

describe('a mesh that nobody gave', () => {
  test('within a slice it is fsdp, and one slice has no second reason', () => {
    const chosen = chooseMesh({}, { ...two, slices: { min: 1, max: 1 } }, stateOf('llama3-8b'));
    expect(chosen).toEqual({ mesh: {}, reasons: ['ici fsdp 16: nothing is held twice within a slice'] });
  });

  test('across slices it is data where the state fits, with both figures', () => {
    const { mesh, reasons } = chooseMesh({}, two, stateOf('llama3-8b'));
    expect(mesh).toEqual({});
    // 8.03 billion parameters x 16 bytes over 16 devices, of 31.25 GiB.
    expect(reasons[1]).toBe(
      'dcn data: only gradients cross the slices, and 7.5 GiB of state and gradients fit 31.2 GiB',
    );
  });

  test('a model too large for one slice is divided over the slices as well, and then needs less', () => {
    // 70.6 billion parameters x 16 bytes: 65.7 GiB on each of 16 devices, 32.9 GiB on each of 32, 16.4 GiB on each of 64.
    const four = { slice: sliceOf('4x4'), slices: { min: 4, max: 4 } };
    const state = stateOf('llama3-70b');
    const { mesh, reasons } = chooseMesh({}, four, state);
    expect(mesh).toEqual({ dcn: { data: 1, fsdp: -1 } });
    expect(reasons[1]).toMatch(/^dcn fsdp: with dcn data a device would hold 65\.7 GiB/);
    const resolved = resolveMesh(mesh, 16, 4);
    if (isProblemList(resolved)) throw new Error('the default is refused');
    expect(resolved).toEqual({ ici: { fsdp: 16 }, dcn: { fsdp: 4 } });
    expect(stateMemory({ ...state, mesh: resolved }).leastBytes).toBeLessThan(usableHbmBytes(four.slice));
  });

  test('a model of unknown size gets data, without figures', () => {
    expect(chooseMesh({}, two, undefined).reasons[1]).toBe('dcn data: only gradients cross the slices');
  });

  test('what is given stays, and has no reason', () => {
    const given = { ici: { fsdp: 4, tensor: 4 }, dcn: { data: 2 } };
    expect(chooseMesh(given, two, stateOf('llama3-70b'))).toEqual({ mesh: given, reasons: [] });
    const half = { ici: { fsdp: 4, tensor: 4 } };
    expect(chooseMesh(half, two, stateOf('llama3-8b')).reasons).toHaveLength(1);
  });

  test('the trainer gets the axes that are not MaxText’s own default', () => {
    const run = trainingRun({
      ...RUN,
      tpu: { generation: 'v6e', topology: '4x8', slices: 2 },
      trainer: {
        kind: 'maxtext',
        model: 'llama3-70b',
        steps: 10,
        baseOutputDirectory: 'gs://my-bucket/out',
      },
    });
    expect(maxTextOf(run.trainer).arguments).toEqual(
      expect.arrayContaining(['dcn_data_parallelism=1', 'dcn_fsdp_parallelism=-1']),
    );
    expect(maxTextOf(run.trainer).meshes).toEqual([
      { slices: 2, mesh: { ici: { fsdp: 32 }, dcn: { fsdp: 2 } } },
    ]);
    expect(maxTextOf(run.trainer).meshReasons).toHaveLength(2);
  });
});

describe('C6: a slice whose devices do not divide the model', () => {
  const run = {
    ...RUN,
    tpu: { generation: 'v5p', topology: '4x4x12' },
    trainer: { ...RUN.trainer, mesh: {} },
  };

  test('gets a mesh that works: fsdp over the sides that divide, data over the rest', () => {
    const facts = maxTextOf(trainingRun(run).trainer);
    expect(facts.meshes).toEqual([{ slices: 1, mesh: { ici: { data: 12, fsdp: 16 }, dcn: {} } }]);
    expect(facts.arguments).toEqual(
      expect.arrayContaining(['ici_data_parallelism=12', 'ici_fsdp_parallelism=16']),
    );
    expect(facts.meshReasons).toEqual([
      "ici data 12 x fsdp 16: the model's arrays do not divide by 192, and 16 is the largest part of the slice by which they do",
    ]);
  });

  test('a mesh that is given is judged as it is', () => {
    const given = { ...run, trainer: { ...run.trainer, mesh: { ici: { fsdp: 192 } } } };
    expect(runProblems(given)).not.toEqual([]);
  });
});
