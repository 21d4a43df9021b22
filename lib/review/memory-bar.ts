import { usableHbmBytes } from '../training';
import type { Fit } from '../training';
import type { Generation } from '../tpu';
import type { PlannedRun } from '../plan';

/** What fills a part of a device's memory. */
export type MemoryPart =
  | 'weights'
  | 'first moment'
  | 'second moment'
  | 'gradients'
  | 'weights and moments'
  | 'temporaries'
  | 'needed';

/** The memory of one device at a number of slices, by one source. */
export interface MemoryBar {
  readonly slices: number;
  /** estimate: weights, moments and gradients, without activations. compiled: what the TPU compiler said. */
  readonly source: 'estimate' | 'compiled';
  readonly parts: readonly { readonly part: MemoryPart; readonly bytes: number }[];
  readonly totalBytes: number;
  /** What a program may use, as far as it was measured. */
  readonly usableBytes: number;
  readonly deviceBytes: number;
  readonly fits: boolean;
  /** A compiled bar whose run has changed since. */
  readonly isStale: boolean;
}

/** The bars of a run, smallest number of slices first, the estimate before the compiler's word. */
export function memoryBars(run: PlannedRun, fit: Fit | undefined): MemoryBar[] {
  const sizes = run.memory ?? [];
  return sizes.flatMap(({ slices }) => [...estimateOf(run, slices), ...compiledOf(run, fit, slices)]);
}

function estimateOf(run: PlannedRun, slices: number): MemoryBar[] {
  const state = run.memory?.find((size) => size.slices === slices)?.state;
  if (state === undefined || state === null) return [];
  const usableBytes = usableOf(run);
  return [
    {
      slices,
      source: 'estimate',
      parts: [
        { part: 'weights', bytes: state.weightsBytes },
        { part: 'first moment', bytes: state.firstMomentBytes },
        { part: 'second moment', bytes: state.secondMomentBytes },
        { part: 'gradients', bytes: state.gradientBytes },
      ],
      totalBytes: state.leastBytes,
      usableBytes,
      deviceBytes: run.tpu.hbmBytesPerDevice,
      fits: state.leastBytes <= usableBytes,
      isStale: false,
    },
  ];
}

function compiledOf(run: PlannedRun, fit: Fit | undefined, slices: number): MemoryBar[] {
  const verdict = fit?.verdicts.find((candidate) => candidate.slices === slices);
  if (fit === undefined || verdict === undefined) return [];
  const { argumentBytes, temporaryBytes, totalBytes, usableBytes, fits } = verdict;
  return [
    {
      slices,
      source: 'compiled',
      parts:
        argumentBytes === undefined || temporaryBytes === undefined
          ? [{ part: 'needed', bytes: totalBytes }]
          : [
              { part: 'weights and moments', bytes: argumentBytes },
              { part: 'temporaries', bytes: Math.max(0, totalBytes - argumentBytes) },
            ],
      totalBytes,
      usableBytes,
      deviceBytes: run.tpu.hbmBytesPerDevice,
      fits,
      isStale: fit.key !== run.fitKey,
    },
  ];
}

function usableOf(run: PlannedRun): number {
  const { generation, hbmBytesPerDevice } = run.tpu;
  return usableHbmBytes({ generation: generation as Generation, hbmBytesPerDevice });
}
