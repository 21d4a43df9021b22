/** Counts what passed and what failed, and says it at once. */
export class Tally {
  private passed = 0;
  private failed = 0;

  /** One test: it passed when there is no problem. */
  public record(name: string, problems: readonly string[]): void {
    if (problems.length === 0) {
      this.passed++;
      return;
    }
    this.failed++;
    console.log(`FAILED ${name}`);
    for (const problem of problems) console.log(`  ${problem}`);
  }

  public get hasFailed(): boolean {
    return this.failed > 0;
  }

  /** The line a runner reads. */
  public summary(): string {
    return `${String(this.passed)} passed, ${String(this.failed)} failed`;
  }
}
