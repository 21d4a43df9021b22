import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

/** Rooms whose Problems a configuration can cause. */
const ROOMS = ['config', 'run', 'training', 'tpu', 'kubernetes', 'infrastructure'];

/** A place in the sources where the rule of a Problem is written. */
export interface RuleSite {
  /** `lib/run/volumes.ts:41`. */
  readonly place: string;
  /** The rule as it stands there. */
  readonly text: string;
  /** Matches what the rule becomes when its parts are filled in. */
  readonly pattern: RegExp;
}

/** Every text that stands as `rule` in the rooms: `rule: 'text'`, `rule: \`text ${part}\`` `const rule = …` and `refuse(…, rule, fix)`, each arm of a choice alone. */
export function ruleSites(root: string): RuleSite[] {
  return ROOMS.flatMap((room) => filesBelow(join(root, 'lib', room))).flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
    const sites: RuleSite[] = [];
    const visit = (node: ts.Node): void => {
      const value = ruleValue(node);
      if (value !== undefined) {
        for (const text of textsOf(value)) {
          const { line } = source.getLineAndCharacterOfPosition(text.getStart());
          const pattern = patternOf(text);
          const place = `${relative(root, file)}:${String(line + 1)}`;
          if (pattern !== undefined) sites.push({ place, text: text.getText(), pattern });
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return sites;
  });
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesBelow(path);
    return name.endsWith('.ts') && !name.endsWith('.generated.ts') ? [path] : [];
  });
}

function ruleValue(node: ts.Node): ts.Expression | undefined {
  // refuse(…, rule, fix)
  if (ts.isCallExpression(node) && node.expression.getText() === 'refuse') return node.arguments.at(-2);
  const isRule =
    (ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)) && node.name.getText() === 'rule';
  return isRule ? node.initializer : undefined;
}

function textsOf(value: ts.Expression): ts.Expression[] {
  if (ts.isConditionalExpression(value)) return [...textsOf(value.whenTrue), ...textsOf(value.whenFalse)];
  if (ts.isParenthesizedExpression(value)) return textsOf(value.expression);
  return ts.isStringLiteralLike(value) || ts.isTemplateExpression(value) ? [value] : [];
}

function patternOf(text: ts.Expression): RegExp | undefined {
  const parts = ts.isStringLiteralLike(text)
    ? [text.text]
    : ts.isTemplateExpression(text)
      ? [text.head.text, ...text.templateSpans.map(({ literal }) => literal.text)]
      : [];
  // A text that is nothing but filled-in parts would match everything.
  if (parts.join('').trim() === '') return undefined;
  return new RegExp(
    `^${parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[\\s\\S]*')}$`,
  );
}
