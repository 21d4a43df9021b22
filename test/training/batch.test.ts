import { evenBatchUnit, unevenBatch } from '../../lib/training/maxtext/batch';
import { RUN, TWO_SLICES, runProblems, trainingRun } from '../support/training-run';
import { maxTextOf } from '../support/maxtext-facts';

const SIXTEEN = [{ slices: 1, mesh: { ici: { fsdp: 16 }, dcn: {} } }];
const FOUR_OF_SIXTEEN = [{ slices: 1, mesh: { ici: { fsdp: 4, tensor: 4 }, dcn: {} } }];

test('each part of the data axes has whole examples', () => {
  expect(unevenBatch(1, 16, SIXTEEN)).toBeUndefined();
  expect(unevenBatch(0.25, 16, FOUR_OF_SIXTEEN)).toBeUndefined();
  // What MaxText 0.2.5 says of them: an assertion on 4 / 16, and an IndivisibleError on 24.
  expect(unevenBatch(0.25, 16, SIXTEEN)).toEqual({ slices: 1, globalBatch: 4, parts: 16 });
  expect(unevenBatch(1.5, 16, SIXTEEN)).toEqual({ slices: 1, globalBatch: 24, parts: 16 });
});

test('the least batch is the share of devices that have the same examples', () => {
  expect(evenBatchUnit(16, SIXTEEN)).toBe('1');
  expect(evenBatchUnit(16, FOUR_OF_SIXTEEN)).toBe('1/4');
  expect(
    evenBatchUnit(16, [
      ...FOUR_OF_SIXTEEN,
      { slices: 2, mesh: { ici: { fsdp: 4, tensor: 4 }, dcn: { data: 2 } } },
    ]),
  ).toBe('1/4');
});

test('a run says what is wrong and what would do', () => {
  const trainer = { ...RUN.trainer, perDeviceBatchSize: 0.25 };
  expect(runProblems({ ...RUN, trainer })).toEqual([
    "trainer.perDeviceBatchSize: 0.25: a step's examples are divided evenly over the mesh axes data, fsdp, fsdp_transpose and expert, and 0.25 x 16 devices = 4 examples are not a multiple of 16; use a whole number",
  ]);
  const two = { ...TWO_SLICES, trainer: { ...TWO_SLICES.trainer, perDeviceBatchSize: 0.5 } };
  expect(runProblems(two)).toEqual([
    expect.stringContaining('0.5 x 16 x 2 devices = 16 examples are not a multiple of 32'),
  ]);
  const even = trainingRun({
    ...RUN,
    trainer: { ...RUN.trainer, perDeviceBatchSize: 0.25, mesh: { ici: { fsdp: 4, tensor: 4 } } },
  });
  expect(maxTextOf(even.trainer).globalBatch).toEqual({ min: 4, max: 4 });
});

test('D6: accumulated batches count in the examples of a step', () => {
  const batchOf = (...entries: string[]): unknown =>
    maxTextOf(trainingRun({ ...RUN, trainer: { ...RUN.trainer, arguments: entries } }).trainer).globalBatch;
  expect(batchOf()).toEqual({ min: 16, max: 16 });
  expect(batchOf('gradient_accumulation_steps=4')).toEqual({ min: 64, max: 64 });
  expect(batchOf('gradient_accumulation_steps=1')).toEqual({ min: 16, max: 16 });
});
