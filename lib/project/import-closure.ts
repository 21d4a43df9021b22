/** A module of the trainers' package, as text of its path -> imported module names. */
const IMPORT = /^(?:from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n#]+)|import\s+([\w., ]+))/gm;

const PACKAGE = 'tpu_trainers';

/**
 * Paths of the modules that a module of the trainers' package imports, directly or through others, itself included.
 * `exists` says whether a path is a file of the package; `read` gives its text.
 */
export function importClosure(
  entryModules: readonly string[],
  exists: (path: string) => boolean,
  read: (path: string) => string,
): string[] {
  const found = new Set<string>();
  const open = entryModules.map(pathOf);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    const parent = `${path.split('/').slice(0, -1).join('/')}/__init__.py`;
    if (exists(parent)) open.push(parent);
    open.push(...importsOf(read(path)).map(pathOf).filter(exists));
  }
  return [...found].sort();
}

/** Names of the package's modules that a text imports. */
function importsOf(text: string): string[] {
  const modules: string[] = [];
  for (const [, from, names, plain] of text.matchAll(IMPORT)) {
    if (from !== undefined && (from === PACKAGE || from.startsWith(`${PACKAGE}.`))) {
      modules.push(from);
      for (const name of (names ?? '').replace(/[()]/g, '').split(',')) {
        const imported = name.trim().split(/\s+/)[0] ?? '';
        if (imported !== '') modules.push(`${from}.${imported}`);
      }
    }
    for (const name of (plain ?? '').split(',')) {
      const imported = name.trim().split(/\s+/)[0] ?? '';
      if (imported.startsWith(`${PACKAGE}.`)) modules.push(imported);
    }
  }
  return modules;
}

function pathOf(module: string): string {
  return `${module.replaceAll('.', '/')}.py`;
}
