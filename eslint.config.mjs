import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

const ROOT = dirname(fileURLToPath(import.meta.url));

const PLAIN = ['tpu', 'kubernetes', 'kuberay'];
const CDK8S = ['cdk8s', 'cdk8s-plus-29', 'constructs'];

/**
 * The room arrows: what the files of a room may import beside their own room, the single files of SHARED and JSON data. `rooms` are folders of
 * `lib/`, `packages` are npm packages and Node modules. A pure room has neither the file system nor the process nor a clock; `node:crypto`
 * is there for hashes only. This table is the only copy.
 */
const ROOMS = {
  'lib/tpu': { pure: true, rooms: ['kubernetes'], packages: [] },
  'lib/kubernetes': { pure: true, rooms: [], packages: ['yaml'] },
  'lib/kuberay': { pure: true, rooms: [], packages: [], types: ['imports'] },
  'lib/training': { pure: true, rooms: PLAIN, packages: ['node:crypto', 'yaml'] },
  'lib/run': { pure: true, rooms: [...PLAIN, 'training'], packages: ['ajv', 'node:crypto'] },
  'lib/config': { pure: true, rooms: [...PLAIN, 'training', 'run'], packages: ['yaml'] },
  'lib/infrastructure': { pure: true, rooms: [...PLAIN, 'training', 'run'], packages: [] },
  'lib/plan': { pure: true, rooms: ['tpu', 'training', 'run', 'infrastructure'], packages: [] },
  'lib/review': { pure: true, rooms: [...PLAIN, 'training', 'run', 'infrastructure', 'plan'], packages: [] },
  'lib/doctor': { pure: true, rooms: [...PLAIN, 'infrastructure', 'plan', 'review'], packages: [] },
  'lib/manifest-rules': { pure: true, rooms: PLAIN, packages: ['yaml'] },
  'lib/constructs': {
    pure: true,
    rooms: [...PLAIN, 'training', 'run'],
    packages: [...CDK8S, 'node:crypto'],
    types: ['imports'],
  },
  'lib/charts': { pure: true, rooms: [...PLAIN, 'training', 'run', 'constructs'], packages: CDK8S },
  'lib/project': {
    pure: false,
    rooms: [
      ...PLAIN,
      'training',
      'run',
      'config',
      'infrastructure',
      'manifest-rules',
      'constructs',
      'charts',
      'plan',
      'review',
    ],
    packages: 'any',
  },
  'lib/compile-check': { pure: false, rooms: ['tpu', 'training', 'run', 'plan', 'project'], packages: 'any' },
  'lib/cli': {
    pure: false,
    rooms: ['training', 'config', 'plan', 'review', 'doctor', 'project', 'compile-check'],
    packages: 'any',
  },
  'lib/node.ts': { pure: false, rooms: ['plan', 'project', 'cli'], packages: [] },
  // What a TypeScript user imports; what needs files is exported by lib/node.ts.
  'lib/index.ts': {
    pure: true,
    rooms: [
      ...PLAIN,
      'training',
      'run',
      'config',
      'infrastructure',
      'manifest-rules',
      'constructs',
      'charts',
    ],
    packages: [],
  },
  'lib/problems': { pure: true, rooms: [], packages: [] },
  'lib/nearest-name.ts': { pure: true, rooms: [], packages: [] },
  'main.ts': { pure: false, rooms: ['cli'], packages: 'any' },
};

const PURE_GLOBALS = [
  'process',
  'console',
  'require',
  '__dirname',
  '__filename',
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
];

/** @type {import('eslint').Rule.RuleModule} */
const arrows = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      unknown: "'{{target}}' is in no room: add a row to the table in eslint.config.mjs",
      room: "'{{room}}' must not import '{{target}}': the table in eslint.config.mjs has its arrows",
      package:
        "'{{room}}' must not import the package '{{target}}': the table in eslint.config.mjs has its packages",
      value: "'{{target}}' is imported by `import type` only: its classes drop fields they do not know",
    },
  },
  create(context) {
    const room = roomOf(context.filename);
    /** @param {import('estree').Node} node @param {unknown} source @param {boolean} isType */
    const check = (node, source, isType) => {
      if (typeof source !== 'string') return;
      const problem = faultOf(room, context.filename, source, isType);
      if (problem !== undefined)
        context.report({ node, messageId: problem.id, data: { room: room ?? '', target: problem.target } });
    };
    return {
      Program: (node) => {
        const target = relative(ROOT, context.filename).split(sep).join('/');
        if (room === undefined && target.startsWith('lib/'))
          context.report({ node, messageId: 'unknown', data: { target } });
      },
      ImportDeclaration: (node) => check(node, node.source.value, node.importKind === 'type'),
      ExportNamedDeclaration: (node) => check(node, node.source?.value, node.exportKind === 'type'),
      ExportAllDeclaration: (node) => check(node, node.source.value, node.exportKind === 'type'),
      ImportExpression: (node) => check(node, node.source.value, false),
      'CallExpression[callee.name="require"]': (node) => check(node, node.arguments[0]?.value, false),
    };
  },
};

/** Single files that every room may import: what a fault is, and what may have been meant. */
const SHARED = ['lib/problems', 'lib/nearest-name'];

/** The key of ROOMS a file belongs to. */
function roomOf(filename) {
  const path = relative(ROOT, filename).split(sep).join('/');
  return Object.keys(ROOMS).find((room) => path === room || path.startsWith(`${room}/`));
}

function faultOf(room, filename, source, isType) {
  const arrows = room === undefined ? undefined : ROOMS[room];
  if (!source.startsWith('.')) {
    if (arrows === undefined || arrows.packages === 'any') return undefined;
    const isAllowed = arrows.packages.some((name) => source === name || source.startsWith(`${name}/`));
    return isAllowed ? undefined : { id: 'package', target: source };
  }
  const target = relative(ROOT, resolve(dirname(filename), source))
    .split(sep)
    .join('/');
  const [top] = target.split('/');
  if (top === 'imports' && !target.endsWith('.yaml')) {
    if (!isType) return { id: 'value', target };
    return arrows === undefined || arrows.types?.includes('imports') ? undefined : { id: 'room', target };
  }
  if (arrows === undefined || target.endsWith('.json') || SHARED.includes(target)) return undefined;
  if (target === room || target.startsWith(`${room}/`)) return undefined;
  return arrows.rooms.some((name) => target === `lib/${name}` || target.startsWith(`lib/${name}/`))
    ? undefined
    : { id: 'room', target };
}

const pureFiles = Object.entries(ROOMS)
  .filter(([, room]) => room.pure)
  .map(([path]) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`));

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/',
      'imports/*.ts',
      '**/dist/',
      'build/',
      'coverage/',
      '**/.venv/',
      '**/.cache/',
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: ROOT } },
    plugins: { rooms: { rules: { arrows } } },
    rules: {
      'rooms/arrows': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { varsIgnorePattern: '^_', argsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // They take a third of the time, comparing the generated types over and over.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      // A type parameter that is used once still names what a caller gets.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      'no-console': 'error',
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: pureFiles,
    rules: {
      'no-restricted-globals': [
        'error',
        ...PURE_GLOBALS.map((name) => ({
          name,
          message: 'a pure room has no process, files, network or timers',
        })),
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'same input, same bytes' },
        { object: 'Date', property: 'now', message: 'same input, same bytes' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
          message: 'same input, same bytes',
        },
      ],
    },
  },
  {
    // Commands talk to a person.
    files: ['main.ts', 'scripts/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      'no-console': 'off',
    },
  },
  prettier,
);
