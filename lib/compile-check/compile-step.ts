import {
  mkdirSync,
  mkdtempSync,
  openSync,
  closeSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { packageRoot } from '../project';
import { compiledArguments } from '../run';
import { compilerTopology } from '../training';
import type { FitVerdict } from '../training';
import type { Ending, Interruption } from './child-process';
import { parseOverflow, parseUsable } from './libtpu-log';
import type { Buffer } from './libtpu-log';
import type { RunPlan } from './run-plan';

/** What is compiled. */
export interface CompileRequest {
  readonly run: RunPlan;
  readonly slices: number;
  readonly maxtextArguments: readonly string[];
}

/** The compiler's answer. */
export interface CompileOutcome {
  readonly verdict: FitVerdict;
  readonly seconds: number;
  /** Bytes of the compiled program, where it fits. */
  readonly codeBytes?: number;
  /** The largest buffers, where it does not fit. */
  readonly buffers: readonly Buffer[];
}

/** MaxText or the compiler failed for another reason than memory. */
export class CompileError extends Error {}

/** Where the process writes its events, after standard input, output and error. */
const REPORT_DESCRIPTOR = 3;

/** Lines of output shown when a process ends without a report. */
const LAST_LINES = 15;

type Event =
  | { readonly phase: string }
  | {
      readonly result: Readonly<
        Record<'argumentBytes' | 'temporaryBytes' | 'codeBytes' | 'outputBytes' | 'sharedBytes', number>
      >;
    }
  | { readonly refused: string }
  | { readonly failed: string };

/**
 * Compiles one training step in a process of its own, in a folder that is gone afterwards.
 * @param onPhase hears what the process is doing: loading, building, compiling
 * @throws CompileError, Interrupted
 */
export async function compileStep(
  python: string,
  request: CompileRequest,
  interruption: Interruption,
  onPhase: (phase: string) => void,
): Promise<CompileOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'compile-check-'));
  try {
    return await compileIn(folder, python, request, interruption, onPhase);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function compileIn(
  folder: string,
  python: string,
  { run, slices, maxtextArguments }: CompileRequest,
  interruption: Interruption,
  onPhase: (phase: string) => void,
): Promise<CompileOutcome> {
  const paths = {
    request: join(folder, 'request.json'),
    output: join(folder, 'output.log'),
    logs: join(folder, 'libtpu'),
    results: join(folder, 'results'),
  };
  mkdirSync(paths.logs);
  mkdirSync(paths.results);
  writeFileSync(
    paths.request,
    JSON.stringify({
      topology: compilerTopology(run.slice),
      podType: run.slice.gkePodType,
      slices,
      arguments: [
        ...compiledArguments(maxtextArguments),
        'run_name=compile-check',
        'enable_checkpointing=false',
      ],
      outputDirectory: paths.results,
      environment: run.libtpuInitArgs.length === 0 ? {} : { LIBTPU_INIT_ARGS: run.libtpuInitArgs.join(' ') },
    }),
  );
  const started = performance.now();
  let last: Event | undefined;
  let ending: Ending;
  const output = openSync(paths.output, 'w');
  try {
    ending = await interruption.run(
      python,
      // Unbuffered, so that the output says where a killed process was.
      ['-u', join(packageRoot(), 'compile_check/compile_step.py'), paths.request, String(REPORT_DESCRIPTOR)],
      {
        stdio: ['ignore', output, output, 'pipe'],
        env: {
          ...process.env,
          TMPDIR: folder,
          TPU_LOG_DIR: paths.logs,
          PYTHONPYCACHEPREFIX: join(dirname(python), '../byte-code'),
        },
      },
      (child) => {
        const report = child.stdio[REPORT_DESCRIPTOR] as Readable;
        createInterface({ input: report }).on('line', (line) => {
          last = JSON.parse(line) as Event;
          if ('phase' in last) onPhase(last.phase);
        });
      },
    );
  } finally {
    closeSync(output);
  }
  const seconds = (performance.now() - started) / 1000;
  const log = readdirSync(paths.logs)
    .filter((name) => /\.(INFO|ERROR)\./.test(name))
    .map((name) => readFileSync(join(paths.logs, name), 'utf8'))
    .join('\n');
  return outcomeOf(last, ending, slices, seconds, log, paths.output);
}

function outcomeOf(
  event: Event | undefined,
  ending: Ending,
  slices: number,
  seconds: number,
  log: string,
  outputPath: string,
): CompileOutcome {
  if (event === undefined || 'phase' in event) {
    const lines = readFileSync(outputPath, 'utf8').trimEnd().split('\n').slice(-LAST_LINES);
    throw new CompileError(
      `the compiler’s process ended without a result, ${describeEnding(ending)}:\n${lines.join('\n')}`,
    );
  }
  if ('failed' in event) throw new CompileError(event.failed);
  if ('refused' in event) {
    const overflow = parseOverflow(`${log}\n${event.refused}`);
    if (overflow === undefined) throw new CompileError(`a refusal of another form: ${event.refused}`);
    const { usedBytes, usableBytes, buffers } = overflow;
    return { verdict: { slices, fits: false, totalBytes: usedBytes, usableBytes }, seconds, buffers };
  }
  const usableBytes = parseUsable(log);
  if (usableBytes === undefined)
    throw new CompileError('libtpu’s log does not say how much memory a device has');
  const { argumentBytes, temporaryBytes, codeBytes, outputBytes, sharedBytes } = event.result;
  // Outputs take the place of arguments but for what is not shared, such as the loss.
  const totalBytes = argumentBytes + temporaryBytes + codeBytes + (outputBytes - sharedBytes);
  const fits = totalBytes <= usableBytes;
  const verdict = { slices, fits, argumentBytes, temporaryBytes, totalBytes, usableBytes };
  return { verdict, seconds, codeBytes, buffers: [] };
}

/** The kernel kills what asks for too much memory, and nothing else here sends SIGKILL. */
function describeEnding({ code, signal }: Ending): string {
  if (signal === 'SIGKILL') return 'killed by SIGKILL; this machine may have too little free memory';
  return signal === null ? `with exit code ${String(code)}` : `killed by ${signal}`;
}
