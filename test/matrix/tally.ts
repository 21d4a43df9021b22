/** Counts checks and keeps the first failures, so that a broken rule does not print ten thousand lines. */
export class Tally {
  private passedCount = 0;
  private failedCount = 0;
  private readonly failures: string[] = [];

  /** @param shown how many failures are printed in full */
  public constructor(private readonly shown = 20) {}

  public get passed(): number {
    return this.passedCount;
  }

  public get failed(): number {
    return this.failedCount;
  }

  /** One check: passed when there are no faults. */
  public check(name: string, faults: readonly string[]): void {
    if (faults.length === 0) {
      this.passedCount += 1;
      return;
    }
    this.failedCount += 1;
    if (this.failures.length < this.shown)
      this.failures.push(`FAILED ${name}\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }

  /** The first failures, and how many more there are. */
  public report(): string {
    const more = this.failedCount - this.failures.length;
    return [...this.failures, ...(more > 0 ? [`… and ${more} more failures`] : [])].join('\n');
  }
}
