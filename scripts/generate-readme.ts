import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeProblems, synthesize } from '../lib/project/synthesize';
import { synthesizeExample } from './generate-examples';

/** A run with mistakes, whose errors the README shows. */
const WRONG_RUN = 'test/docs/wrong-run';

/** The README with what synth prints of the quick start, and of a wrong run, as it is now. */
export function generateReadme(root: string): string {
  const { problems } = synthesize(join(root, WRONG_RUN), {});
  const blocks = {
    'summary of the quick start': synthesizeExample(root).summary,
    'errors of the wrong run': describeProblems(problems),
  };
  return Object.entries(blocks).reduce(withBlock, readFileSync(join(root, 'README.md'), 'utf8'));
}

/** Puts a text into the code block below its marking comment. */
function withBlock(page: string, [marker, text]: readonly [string, string]): string {
  const opening = `<!-- ${marker} -->\n\n\`\`\`\n`;
  const start = page.indexOf(opening);
  const end = page.indexOf('\n```', start + opening.length);
  if (start < 0 || end < 0) throw new Error(`README.md has no code block below <!-- ${marker} -->`);
  return `${page.slice(0, start + opening.length)}${text}${page.slice(end)}`;
}
