import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importClosure } from '../../lib/project/import-closure';
import { loadTrainerSources } from '../../lib/project';
import { SUBMITTER_MODULE, TRAINER_KINDS, trainerKind } from '../../lib/training';

const TRAINERS = join(__dirname, '..', '..', 'trainers');

function closureOf(files: Readonly<Record<string, string>>, entry = 'tpu_trainers.main'): string[] {
  return importClosure(
    [entry],
    (path) => path in files,
    (path) => files[path] ?? '',
  ).map((path) => path.replace('tpu_trainers/', ''));
}

const PACKAGE = {
  'tpu_trainers/__init__.py': '',
  'tpu_trainers/a.py': '',
  'tpu_trainers/b.py': 'import json\n',
  'tpu_trainers/c.py': 'from tpu_trainers import a\n',
};

test.each([
  ['from tpu_trainers import a', ['a.py']],
  ['from tpu_trainers import a, b as other', ['a.py', 'b.py']],
  ['from tpu_trainers import (\n    a,\n    b,  # why\n)', ['a.py', 'b.py']],
  ['from tpu_trainers.a import name', ['a.py']],
  ['import tpu_trainers.a', ['a.py']],
  ['import tpu_trainers.a as short, json, tpu_trainers.b', ['a.py', 'b.py']],
  ['from tpu_trainers.c import name', ['a.py', 'c.py']],
  ['from . import a', ['a.py']],
  ['from .b import name', ['b.py']],
  ['def run():\n    from tpu_trainers import a\n    import tpu_trainers.b', ['a.py', 'b.py']],
  ['try:\n    from tpu_trainers.a import x\nexcept ImportError:\n    x = None', ['a.py']],
  ['import json\nfrom os import path', []],
  ['# from tpu_trainers import a', []],
  ['from tpu_trainers_other import a', []],
])('%j', (text, expected) => {
  const files = { ...PACKAGE, 'tpu_trainers/main.py': `${text}\n` };
  expect(closureOf(files)).toEqual(['__init__.py', ...expected, 'main.py'].sort());
});

test('modules that import each other end', () => {
  const files = {
    'tpu_trainers/__init__.py': '',
    'tpu_trainers/main.py': 'from tpu_trainers import other\n',
    'tpu_trainers/other.py': 'from tpu_trainers import main\n',
  };
  expect(closureOf(files)).toEqual(['__init__.py', 'main.py', 'other.py']);
});

const kinds = TRAINER_KINDS.filter((kind) =>
  existsSync(join(TRAINERS, `${trainerKind(kind).module.replaceAll('.', '/')}.py`)),
);

test.each(kinds)('the sources of %s are those that Python itself finds', (kind) => {
  const script = `
import json, modulefinder, os, sys
finder = modulefinder.ModuleFinder([sys.argv[1]])
for module in sys.argv[2:]:
    path = os.path.join(sys.argv[1], *module.split('.')) + '.py'
    finder.import_hook(module)
    finder.load_file(path)
files = {m.__file__ for m in finder.modules.values() if m.__file__}
print(json.dumps(sorted(os.path.relpath(f, sys.argv[1]) for f in files)))
`;
  const { status, stdout, stderr } = spawnSync(
    'python3',
    ['-c', script, TRAINERS, trainerKind(kind).module, SUBMITTER_MODULE],
    { encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(loadTrainerSources(kind).paths).toEqual(JSON.parse(stdout));
});

test('no source reads a file beside it: only Python files travel', () => {
  for (const kind of kinds) {
    const sources = loadTrainerSources(kind);
    for (const path of sources.paths) {
      expect(path).toMatch(/\.py$/);
      expect(readFileSync(join(TRAINERS, path), 'utf8').replaceAll('\r\n', '\n')).toBe(sources.text(path));
    }
  }
});
