/** An import statement, at the top of a module or inside a function. */
const IMPORT = /^[ \t]*(?:from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n#]+)|import\s+([\w., ]+))/gm;

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
  for (const [, source, names, plain] of text.matchAll(IMPORT)) {
    const from = source?.startsWith('.') === true ? absoluteName(source) : source;
    if (from !== undefined && (from === PACKAGE || from.startsWith(`${PACKAGE}.`))) {
      modules.push(from);
      const imported = (names ?? '').replace(/#.*/g, '').replace(/[()]/g, '');
      modules.push(...namesIn(imported).map((name) => `${from}.${name}`));
    }
    modules.push(...namesIn(plain ?? '').filter((name) => name.startsWith(`${PACKAGE}.`)));
  }
  return modules;
}

/** `.module` as seen from the package, which has no subpackages. */
function absoluteName(relative: string): string {
  return relative === '.' ? PACKAGE : `${PACKAGE}${relative}`;
}

/** Names of a list such as `a, b as c`. */
function namesIn(list: string): string[] {
  return list.split(',').flatMap((item) => item.trim().split(/\s+/)[0] || []);
}

function pathOf(module: string): string {
  return `${module.replaceAll('.', '/')}.py`;
}
