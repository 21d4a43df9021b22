// Lints texts as if they stood at given paths, by this project's configuration without its typed rules, and prints what was reported.
// Its own process, since jest cannot load an ES module configuration. Input on stdin: [{ "path", "text" }]; output: one list a text.
import { readFileSync } from 'node:fs';
import { ESLint } from 'eslint';

const RULES = [
  'rooms/arrows',
  'no-restricted-globals',
  'no-restricted-properties',
  'no-restricted-syntax',
  '@typescript-eslint/consistent-type-imports',
];

const eslint = new ESLint({
  overrideConfig: [{ files: ['**/*.ts'], languageOptions: { parserOptions: { project: null } } }],
  ruleFilter: ({ ruleId }) => RULES.includes(ruleId),
});
const results = [];
for (const { path, text } of JSON.parse(readFileSync(0, 'utf8'))) {
  const [result] = await eslint.lintText(text, { filePath: path });
  results.push((result?.messages ?? []).map(({ ruleId, message }) => `${ruleId}: ${message}`));
}
process.stdout.write(JSON.stringify(results));
