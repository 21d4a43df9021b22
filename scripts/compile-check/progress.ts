/** How often a line says that something still works, where the terminal cannot be redrawn. */
const LINE_MILLISECONDS = 30_000;
const REDRAW_MILLISECONDS = 1000;

/** Says on standard error what is being done and for how long. */
export class Progress {
  private readonly started = performance.now();
  private readonly timer: NodeJS.Timeout;
  private phase = 'starting';

  constructor(
    private readonly title: string,
    private readonly stream: NodeJS.WriteStream = process.stderr,
  ) {
    this.timer = setInterval(
      () => {
        this.write();
      },
      stream.isTTY ? REDRAW_MILLISECONDS : LINE_MILLISECONDS,
    );
  }

  /** Says the phase that begins. */
  enter(phase: string): void {
    this.phase = phase;
    this.write();
  }

  /** Stops saying anything. */
  end(): void {
    clearInterval(this.timer);
    if (this.stream.isTTY) this.stream.write('\r\x1b[K');
  }

  private write(): void {
    const seconds = Math.round((performance.now() - this.started) / 1000);
    const text = `${this.title}: ${this.phase}, ${String(seconds)} s`;
    this.stream.write(this.stream.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
  }
}
