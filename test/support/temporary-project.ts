import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { synthesizeInto } from '../../lib/cli/commands/synth';
import { PLATFORM_YAML, RUN_YAML } from './config-project';

/** A project directory of its own, removed after the test file. */
export class TemporaryProject {
  public readonly directory = realpathSync(mkdtempSync(join(tmpdir(), 'project-')));

  /** A project with the sample platform and run, or with other files. */
  public constructor(
    files: Readonly<Record<string, string>> = { 'platform.yaml': PLATFORM_YAML, 'runs/train.yaml': RUN_YAML },
  ) {
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    created.push(this);
  }

  public path(name: string): string {
    return join(this.directory, name);
  }

  public write(name: string, text: string | Uint8Array): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  public read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  public remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Runs `synth` on the directory, in this process. */
  public synth(environment: Readonly<Record<string, string>> = {}): { code: number; text: string } {
    let text = '';
    const terminal = {
      environment,
      workingDirectory: '/',
      print: (part: string) => (text += part),
      output: (part: string) => (text += part),
    };
    const code = synthesizeInto(this.directory, {}, terminal);
    return { code, text };
  }

  /** Every file of the directory that is no input, hidden ones included: path -> text. */
  public output(): Record<string, string> {
    const files = readdirSync(this.directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.directory.length + 1))
      .filter((name) => name !== 'platform.yaml' && !name.startsWith('runs/'))
      .sort();
    return Object.fromEntries(files.map((name) => [name, this.read(name)]));
  }
}

const created: TemporaryProject[] = [];

afterAll(() => {
  for (const project of created.splice(0)) project.remove();
});
