import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTROL_PLANE_SOURCES } from './build';

/** Why this machine cannot run the suite, or undefined when it can. */
export function missingToolchain(): string | undefined {
  const needed = /^go (\d+)\.(\d+)/m.exec(readFileSync(join(CONTROL_PLANE_SOURCES, 'go.mod'), 'utf8'));
  const text = goVersion();
  if (text === undefined) return 'go is not on PATH: install Go, the control plane is built from Go modules';
  const found = /go(\d+)\.(\d+)/.exec(text);
  if (needed === null || found === null) return undefined;
  const [needMajor, needMinor] = [Number(needed[1]), Number(needed[2])];
  const [major, minor] = [Number(found[1]), Number(found[2])];
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return undefined;
  return `go is ${found[0]}, but test/cluster/control-plane/go.mod needs ${needed[0]} or newer: update Go`;
}

/** True when `REQUIRE_TOOLCHAINS` names Go, which turns a skip into a failure. */
export function isGoRequired(): boolean {
  return (process.env['REQUIRE_TOOLCHAINS'] ?? '').split(',').includes('go');
}

function goVersion(): string | undefined {
  try {
    return execFileSync('go', ['version'], { encoding: 'utf8' });
  } catch {
    return undefined;
  }
}
