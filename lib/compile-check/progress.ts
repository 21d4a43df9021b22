/** How often a line says that something still works, where the terminal cannot be redrawn. */
const LINE_MILLISECONDS = 30_000;
const REDRAW_MILLISECONDS = 1000;

/** Cells of the bar. */
const BAR_WIDTH = 18;

const CLEAR_LINE = '\r\x1b[K';

/** What a progress is shown on. */
export type ProgressStream = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean };

/** The part of the environment that decides how. */
export interface ProgressEnvironment {
  /** Any value but the empty one: no colours. */
  readonly NO_COLOR?: string | undefined;
  /** `dumb` has lines instead of a bar. */
  readonly TERM?: string | undefined;
}

/**
 * Says on standard error what is being done and for how long: a bar on a terminal, drawn anew each second, plain lines
 * elsewhere. What is written besides follows `end`.
 */
export class Progress {
  private readonly started = performance.now();
  private readonly timer: NodeJS.Timeout;
  private readonly isBar: boolean;
  private readonly isColoured: boolean;
  private phase = 'starting';
  private hasEnded = false;

  /** @param phases those that are entered, in order: the bar's scale */
  constructor(
    private readonly title: string,
    private readonly phases: readonly string[],
    private readonly stream: ProgressStream = process.stderr,
    environment: ProgressEnvironment = process.env,
  ) {
    this.isBar = stream.isTTY === true && environment.TERM !== 'dumb';
    this.isColoured = this.isBar && (environment.NO_COLOR ?? '') === '';
    this.timer = setInterval(
      () => {
        this.write();
      },
      this.isBar ? REDRAW_MILLISECONDS : LINE_MILLISECONDS,
    );
  }

  /** Says the phase that begins. */
  enter(phase: string): void {
    this.phase = phase;
    this.write();
  }

  /** Stops saying anything, and clears the bar. */
  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearInterval(this.timer);
    if (this.isBar) this.stream.write(CLEAR_LINE);
  }

  private write(): void {
    const seconds = Math.round((performance.now() - this.started) / 1000);
    const text = `${this.title}: ${this.phase}, ${String(seconds)} s`;
    this.stream.write(this.isBar ? `${CLEAR_LINE}${this.bar()} ${text}` : `${text}\n`);
  }

  private bar(): string {
    const entered = this.phases.indexOf(this.phase) + 1;
    const filled = Math.round((entered / (this.phases.length + 1)) * BAR_WIDTH);
    const [full, empty] = ['#'.repeat(filled), '.'.repeat(BAR_WIDTH - filled)];
    return this.isColoured ? `[\x1b[36m${full}\x1b[0m${empty}]` : `[${full}${empty}]`;
  }
}
