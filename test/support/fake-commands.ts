import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Answer {
  readonly text: string;
  readonly isFailure: boolean;
}

/**
 * Executables that stand in for kubectl, gcloud and others: each answers by its arguments, and notes every call. A command
 * line stands without its time limit; one that has no answer says that the thing does not exist.
 */
export class FakeCommands {
  private readonly folder = mkdtempSync(join(tmpdir(), 'fake-commands-'));
  private readonly answers = new Map<string, Answer>();

  public constructor(private readonly names: readonly string[]) {
    mkdirSync(this.path);
    created.push(this);
  }

  /** PATH with nothing but the stand-ins. */
  public get path(): string {
    return join(this.folder, 'bin');
  }

  /** Answers a command line. */
  public answer(commandLine: string, output: string | object): void {
    const text = typeof output === 'string' ? output : JSON.stringify(output);
    this.answers.set(commandLine, { text, isFailure: false });
  }

  /** Lets a command line fail with words. */
  public fail(commandLine: string, words: string): void {
    this.answers.set(commandLine, { text: `${words}\n`, isFailure: true });
  }

  /** Takes an answer back. */
  public forget(commandLine: string): void {
    if (!this.answers.delete(commandLine)) throw new Error(`'${commandLine}' has no answer to forget`);
  }

  /** Writes the executables; to be called before they are. */
  public write(): void {
    const cases = new Map(this.names.map((name): [string, string[]] => [name, []]));
    for (const [index, [line, { text, isFailure }]] of [...this.answers].entries()) {
      const file = join(this.folder, String(index));
      writeFileSync(file, text);
      cases
        .get(line.split(' ')[0] ?? '')
        ?.push(`'${line}') ${isFailure ? `cat '${file}' >&2; exit 1` : `exec cat '${file}'`} ;;`);
    }
    for (const [name, own] of cases) {
      writeFileSync(join(this.path, name), script(join(this.folder, 'calls'), name, own));
      chmodSync(join(this.path, name), 0o755);
    }
  }

  /** Every command line so far. */
  public calls(): string[] {
    const file = join(this.folder, 'calls');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  public remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function script(calls: string, name: string, cases: readonly string[]): string {
  return `#!/bin/sh
PATH=/usr/bin:/bin
line='${name}'
for word in "$@"; do
  case $word in --request-timeout=*) ;; *) line="$line $word" ;; esac
done
printf '%s\\n' "$line" >>'${calls}'
case $line in
${cases.join('\n')}
esac
echo "Error from server (NotFound): $line: not found" >&2
exit 1
`;
}

const created: FakeCommands[] = [];

afterAll(() => {
  for (const commands of created.splice(0)) commands.remove();
});
