import { createHash } from 'node:crypto';
import type { TrainerKind } from '../training';
import { problem } from '../problems';
import type { Problem } from '../problems';

/** A ConfigMap holds at most 1 MiB. @see https://kubernetes.io/docs/concepts/configuration/configmap/ */
const CONFIG_MAP_BYTES = 2 ** 20;

/** Hexadecimal digits of a digest. */
const DIGEST_DIGITS = 16;

/** The Python files one trainer kind needs, the submitter included: paths relative to the working directory -> text. */
export class TrainerSourceFiles {
  public readonly kind: TrainerKind;
  /** Paths in order. */
  public readonly paths: readonly string[];
  /** The package's folder, below the working directory. */
  public readonly packageFolder: string;
  /**
   * First 16 hexadecimal digits of the SHA-256 of what `sha256sum` prints for all paths in order, whatever the machine: the submitter
   * computes the same of the files it finds, and says it.
   */
  public readonly digest: string;
  private readonly files: ReadonlyMap<string, string>;

  public constructor(kind: TrainerKind, files: Readonly<Record<string, string>>) {
    this.kind = kind;
    this.files = new Map(Object.entries(files).map(([path, text]) => [path, text.replaceAll('\r\n', '\n')]));
    this.paths = [...this.files.keys()].sort();
    const folders = new Set(this.paths.map((path) => path.split('/').slice(0, -1).join('/')));
    const [folder] = folders;
    if (folder === undefined || folder === '' || folders.size > 1) {
      throw new Error(
        `sources of ${kind} lie in ${[...folders].join(', ') || 'no folder'}: they must be one Python package without subpackages`,
      );
    }
    this.packageFolder = folder;
    this.digest = sha256(this.paths.map((path) => `${sha256(this.text(path))}  ${path}\n`).join('')).slice(
      0,
      DIGEST_DIGITS,
    );
  }

  /** Name of the ConfigMap that carries the files, whatever they are: no part of any run's identity. */
  public get configMapName(): string {
    return `trainer-${this.kind}`;
  }

  /** Text of a file. Throws when there is none. */
  public text(path: string): string {
    const text = this.files.get(path);
    if (text === undefined) throw new Error(`trainer kind ${this.kind} has no source file '${path}'`);
    return text;
  }

  /** A Problem when the files do not fit into a ConfigMap. */
  public sizeProblem(): Problem | undefined {
    const sizes = this.paths.map((path) => ({ path, bytes: Buffer.byteLength(this.text(path)) }));
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= CONFIG_MAP_BYTES) return undefined;
    const list = [...sizes]
      .sort((a, b) => b.bytes - a.bytes)
      .map(({ path, bytes }) => `${path} ${String(bytes)}`)
      .join(', ');
    return problem('TRAINER_SOURCES_SIZE', ['trainer', 'kind'], `${String(total)} bytes`, {
      limit: CONFIG_MAP_BYTES,
      list,
    });
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
