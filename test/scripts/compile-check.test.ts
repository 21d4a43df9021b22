import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Interruption } from '../../lib/compile-check/child-process';
import { compileStep } from '../../lib/compile-check/compile-step';
import { parseOverflow, parseUsable } from '../../lib/compile-check/libtpu-log';
import { UnreadablePlan, readRuns } from '../../lib/compile-check/run-plan';

const GIB = 2 ** 30;

const OVERFLOW = `E1130 07:19:43.565944   28769 deepsea_compiler_base.cc:3582] XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 43.58G of 31.24G hbm. Exceeded hbm capacity by 12.34G. HLO module: jit_train_step. Memory usage report: 

Memory Space: default (color=0)
Total bytes: 47266439520 (44.02GiB)
  cumulative_size;       size;       offset; used_by_n_values; shapes_list
  ------------------------------------------------------------
    5.00GiB( 19%);    5.00GiB;     10141696;               99; bf16[131072,1024], 5×bf16[80,4,4096,2048]
    7.19GiB( 27%);    2.19GiB;   5378850816;               18; 6×f32[80,1024,7168]
   16.56GiB( 62%);  640.00MiB;  15948496896;                6; 6×f32[80,16,128,1024]
  The rest 1101 values are less than 5% of the total size and not shown.

  cumulative_size;       size;       offset; used_by_n_values; shapes_list
  ------------------------------------------------------------
    9.19GiB(100%);    9.19GiB;            0;                2; 2×f32[1024,80,7168]
`;

test('an overflow is read from libtpu’s log, largest buffers of the first table first', () => {
  expect(parseOverflow(OVERFLOW)).toEqual({
    usedBytes: Math.round(43.58 * GIB),
    usableBytes: Math.round(31.24 * GIB),
    buffers: [
      { bytes: 5 * GIB, shapes: 'bf16[131072,1024], 5×bf16[80,4,4096,2048]' },
      { bytes: Math.round(2.19 * GIB), shapes: '6×f32[80,1024,7168]' },
      { bytes: 640 * 2 ** 20, shapes: '6×f32[80,16,128,1024]' },
    ],
  });
});

test('a log without overflow has none, and says what is usable', () => {
  const log = 'deepsea_compiler_backend.cc:2387] XLA::TPU program HBM usage: 5.39G / 31.24G\n';
  expect(parseOverflow(log)).toBeUndefined();
  expect(parseUsable(log)).toBe(Math.round(31.24 * GIB));
  expect(parseUsable('')).toBeUndefined();
});

describe('plan.json', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'compile-check-test-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  const tpu = {
    generation: 'v6e',
    topology: '4x4',
    machineType: 'ct6e-standard-4t',
    slices: { min: 1, max: 2 },
  };
  const maxtext = {
    name: 'a',
    tpu,
    trainer: { kind: 'maxtext', maxtextArguments: ['model_name=llama3-8b'] },
  };
  const torch = { name: 'b', tpu, trainer: { kind: 'torchtpu-collectives' } };
  const write = (plan: unknown): void => {
    writeFileSync(join(directory, 'plan.json'), typeof plan === 'string' ? plan : JSON.stringify(plan));
  };

  test('gives the MaxText runs with their slices', () => {
    write({ schemaVersion: 1, runs: [maxtext, torch] });
    expect(readRuns(directory, undefined)).toMatchObject([
      {
        name: 'a',
        slice: { devices: 16, gkePodType: 'v6e-16' },
        slices: { min: 1, max: 2 },
        libtpuInitArgs: [],
      },
    ]);
  });

  test.each<[string, unknown, string | undefined, string]>([
    ['no file', undefined, undefined, 'cannot be read: run npm run synth first, which writes it'],
    ['half a file', '{"runs":', undefined, 'not JSON'],
    ['another version', { schemaVersion: 3, runs: [] }, undefined, 'schemaVersion: plan.json is'],
    ['no key from version 2 on', { schemaVersion: 2, runs: [maxtext] }, undefined, 'runs: plan.json is'],
    ['no runs', { schemaVersion: 1, runs: [] }, undefined, 'has no runs'],
    [
      'a run that is not there',
      { schemaVersion: 1, runs: [maxtext, torch] },
      'c',
      'has no run c: it has a, b',
    ],
    [
      'only other trainers',
      { schemaVersion: 1, runs: [torch] },
      'b',
      'b: only MaxText runs can be compiled without a TPU',
    ],
    [
      'a slice that does not exist',
      { schemaVersion: 1, runs: [{ ...maxtext, tpu: { ...tpu, topology: '3x3' } }] },
      'a',
      'topologies are',
    ],
    [
      'an older plan',
      { schemaVersion: 1, runs: [{ ...maxtext, trainer: { kind: 'maxtext' } }] },
      'a',
      'has no trainer.maxtextArguments',
    ],
  ])('fails on %s', (_, plan, name, message) => {
    if (plan !== undefined) write(plan);
    expect(() => readRuns(directory, name)).toThrow(UnreadablePlan);
    expect(() => readRuns(directory, name)).toThrow(message);
  });
});

describe('a compiler that dies without a word', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dying-compiler-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test.each([
    ['kill -KILL $$', 'killed by SIGKILL; this machine may have too little free memory'],
    ['kill -SEGV $$', 'killed by SIGSEGV'],
    ['exit 7', 'with exit code 7'],
  ])('%s: how it ended and its last lines are told', async (end, told) => {
    const python = join(folder, 'python');
    writeFileSync(python, `#!/bin/sh\necho last words\n${end}\n`);
    chmodSync(python, 0o755);
    const [run] = readRuns(join(__dirname, '../compile/project'), 'small');
    if (run === undefined) throw new Error('the project has no such run');
    const request = { run, slices: 1, maxtextArguments: [] };
    await expect(compileStep(python, request, new Interruption(), () => undefined)).rejects.toThrow(
      new RegExp(`ended without a result, ${told}:\nlast words`),
    );
  });
});
