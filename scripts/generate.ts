import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FIGURES_PAGE, generateCompileFigures } from './generate-compile-figures';
import { generateConfiguration } from './generate-configuration';
import { generateErrors } from './generate-errors';
import { generateExamples } from './generate-examples';
import { generateExitCodes } from './generate-exit-codes';
import { generateFieldNames } from './generate-field-names';
import { generateFields } from './generate-fields';
import { generateImports } from './generate-imports';
import { generateRayVersions } from './generate-ray-versions';
import { BASELINE_FILE, generateReleaseBaseline } from './generate-release-baseline';
import { generateReadme } from './generate-readme';
import { generateSchema } from './generate-schema';

/**
 * Writes every generated file: imports/, the tables of KubeRay fields, the JSON schema, the configuration reference, the
 * pages of errors, exit codes and Ray versions, the output of the quick start and of every example, the table of what the
 * compiler said of them, and what the README shows of them. With `--check` it writes nothing and fails if one differs.
 *
 * usage: tsx scripts/generate.ts [--check]
 */

const ROOT = join(__dirname, '..');

async function main(check: boolean): Promise<number> {
  const differing: string[] = [];
  const put = (path: string, text: string): void => {
    const target = join(ROOT, path);
    if (existsSync(target) && readFileSync(target, 'utf8') === text) return;
    differing.push(path);
    if (check) return;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  };
  const aside = mkdtempSync(join(tmpdir(), 'cdk8s-tpu-ray-imports-'));
  try {
    await generateImports(ROOT, aside);
    for (const name of readdirSync(aside).filter((file) => file.endsWith('.ts'))) {
      put(`imports/${name}`, readFileSync(join(aside, name), 'utf8'));
    }
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  put('lib/kuberay/fields.generated.ts', generateFields(ROOT));
  put('lib/kuberay/field-names.generated.ts', generateFieldNames(ROOT));
  put('lib/config/schema.json', generateSchema(ROOT));
  put('docs/configuration.md', generateConfiguration(ROOT));
  put('docs/errors.md', generateErrors(ROOT));
  put('docs/exit-codes.md', generateExitCodes());
  put('docs/ray-versions.md', generateRayVersions());
  // Last: the examples are synthesized with the files above.
  differing.push(...generateExamples(ROOT, check));
  put('README.md', generateReadme(ROOT));
  put(FIGURES_PAGE, generateCompileFigures(ROOT));
  put(BASELINE_FILE, generateReleaseBaseline(ROOT));
  for (const path of differing) process.stdout.write(`${check ? 'differs' : 'wrote'} ${path}\n`);
  if (check && differing.length > 0) {
    process.stdout.write('run npm run generate and commit what it writes\n');
    return 1;
  }
  if (differing.length === 0) process.stdout.write('generated files are up to date\n');
  return 0;
}

main(process.argv.includes('--check')).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  },
);
