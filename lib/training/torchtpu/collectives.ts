import { problem } from '../../problems';
import { greatestCommonDivisor } from '../greatest-common-divisor';
import { OWNED_BY_ALL, POSITIVE_COUNT, POSITIVE_NUMBER, SECONDS, SEED } from './options';
import type { ProgramOptions } from './options';
import { torchTpuKind } from './plan';
import type { TorchTpuCollectivesSpec } from './spec';

/** The first matrix of the feed-forward block has so many columns for each row. */
const COLUMNS_PER_ROW = 4;

const DEFAULT_SIZE = 1024;

/** Options of the program, and who sets them. */
export const COLLECTIVES_OPTIONS: ProgramOptions = {
  owned: { ...OWNED_BY_ALL, 'matrix-size': 'matrixSize' },
  free: { 'batch-size': POSITIVE_COUNT, seed: SEED, 'step-timeout': SECONDS, tolerance: POSITIVE_NUMBER },
};

/** TorchTPU's collectives check: Ray Core, one actor per device. */
export const TORCHTPU_COLLECTIVES = torchTpuKind<TorchTpuCollectivesSpec>({
  kind: 'torchtpu-collectives',
  module: 'tpu_trainers.torchtpu_collectives',
  options: COLLECTIVES_OPTIONS,
  check: ({ matrixSize: size = DEFAULT_SIZE }, { slice: { devices } }) =>
    (COLUMNS_PER_ROW * size) % devices === 0
      ? []
      : [
          problem('MATRIX_SIZE', ['matrixSize'], size, {
            columns: COLUMNS_PER_ROW,
            devices,
            unit: devices / greatestCommonDivisor(COLUMNS_PER_ROW, devices),
          }),
        ],
  flags: ({ matrixSize = DEFAULT_SIZE }) => ['--matrix-size', String(matrixSize)],
});
