#!/usr/bin/env node
'use strict';

/**
 * Starts main.ts. An installed package has it compiled (build/main.js). A checkout is bundled once by esbuild, its
 * dependencies left outside, into node_modules/.cache under a name made of the sources' contents, and loaded from there.
 */

const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');

/** Sources whose change makes another bundle, in a fixed order. */
function sources(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return sources(path);
      return /\.(ts|json)$/.test(entry.name) ? [path] : [];
    });
}

function bundle() {
  const hash = createHash('sha256');
  const files = [
    ...sources(join(root, 'lib')),
    join(root, 'main.ts'),
    join(root, 'package.json'),
    join(root, 'trainers/tpu_trainers/exit-codes.json'),
  ];
  for (const file of files)
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  const folder = join(root, 'node_modules/.cache/cdk8s-tpu-ray');
  const target = join(folder, `${hash.digest('hex').slice(0, 16)}.cjs`);
  if (existsSync(target)) return target;
  const { outputFiles } = require('esbuild').buildSync({
    entryPoints: [join(root, 'main.ts')],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    packages: 'external',
    sourcemap: 'inline',
    write: false,
    logLevel: 'error',
  });
  mkdirSync(folder, { recursive: true });
  // Written aside and renamed, so that a second process never loads half a bundle.
  const aside = `${target}.${process.pid}`;
  writeFileSync(aside, outputFiles[0].contents);
  renameSync(aside, target);
  return target;
}

process.env.CDK8S_TPU_RAY_ROOT = root;
const compiled = join(root, 'build/main.js');
require(existsSync(join(root, 'main.ts')) ? bundle() : compiled);
