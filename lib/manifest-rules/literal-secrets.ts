import { credentialIn, credentialOf } from '../kubernetes/credentials';
import { isSamePath, pathText, problem } from '../problems';
import type { Path, Problem } from '../problems';
import { asList, asObject, walk } from './json';
import type { ContainerView, Manifest, PodView } from './manifest';
import { forEachManifest } from './rule';

/** Problems are printed; the secret must not be. */
const HIDDEN = '(hidden)';

/** `NAME=value`, `--name=value`. */
const ASSIGNMENT = /^(?:--?)?([A-Za-z_][\w.-]*)=(.+)$/s;

const FLAG = /^--([A-Za-z][\w-]*)$/;

/**
 * No manifest holds a secret: no credential by its name in environment or arguments, none by its form anywhere, and no Secret object
 * with data.
 */
export const literalSecrets = forEachManifest((manifest, { notSecret = [] }) => {
  const declared = new Set(manifest.pods.flatMap((pod) => declaredPaths(pod, notSecret)));
  const byName = [
    ...secretObject(manifest),
    ...manifest.pods.flatMap((pod) =>
      pod.containers.flatMap((container) => containerSecrets(pod.path, container)),
    ),
  ];
  return [
    ...byName,
    ...byForm(manifest).filter(({ path }) => !byName.some((found) => isSamePath(found.path, path))),
  ].filter(({ path }) => !declared.has(pathText(path)));
});

/** Values of variables that are declared to be no secrets. */
function declaredPaths(pod: PodView, names: readonly string[]): string[] {
  return pod.containers.flatMap(({ path, container }) =>
    asList(container['env']).flatMap((entry, index) =>
      names.includes(String(asObject(entry)['name']))
        ? [pathText([...pod.path, ...path, 'env', index, 'value'])]
        : [],
    ),
  );
}

function secretObject({ kind, object }: Manifest): Problem[] {
  if (kind !== 'Secret') return [];
  return ['data', 'stringData'].flatMap((field) =>
    Object.keys(asObject(object[field])).map((key) => problem('SECRET_OBJECT', [field, key], HIDDEN)),
  );
}

function containerSecrets(podPath: Path, { path, container }: ContainerView): Problem[] {
  const base = [...podPath, ...path];
  const variables = asList(container['env']).flatMap((entry, index) => {
    const { name, value } = asObject(entry);
    if (typeof name !== 'string' || typeof value !== 'string') return [];
    return credentialOf(name, value) !== undefined ? [named([...base, 'env', index, 'value'], name)] : [];
  });
  const words = ['command', 'args'].flatMap((field) => {
    const list = asList(container[field]);
    return list.flatMap((word, index) => argumentSecret([...base, field, index], word, list[index - 1]));
  });
  return [...variables, ...words];
}

function argumentSecret(path: Path, word: unknown, previous: unknown): Problem[] {
  if (typeof word !== 'string') return [];
  const flag = typeof previous === 'string' ? FLAG.exec(previous)?.[1] : undefined;
  const [, name, value] = ASSIGNMENT.exec(word) ?? (word.startsWith('-') ? [] : ['', flag, word]);
  if (name === undefined || value === undefined) return [];
  return credentialOf(name.replaceAll('-', '_'), value) === undefined ? [] : [named(path, name)];
}

function named(path: Path, name: string): Problem {
  return problem('SECRET_LITERAL', path, HIDDEN, { name });
}

function byForm({ object }: Manifest): Problem[] {
  const problems: Problem[] = [];
  walk(object, (value, keys) => {
    const form = typeof value === 'string' ? credentialIn(value) : undefined;
    if (form !== undefined) {
      problems.push(problem('SECRET_FORM', [...keys], HIDDEN, { form }));
    }
  });
  return problems;
}
