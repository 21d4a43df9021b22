import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_RAY_VERSION } from '../../lib/run/defaults';

const ROOT = join(__dirname, '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Pins of a lock: package -> version. */
function pinsOf(path: string): Map<string, string> {
  const pins = read(path).matchAll(/^([\w.-]+)(?:\[[\w,]+\])?==([^\s;]+)/gm);
  return new Map([...pins].map(([, name, version]) => [name!, version!]));
}

describe('images/maxtext', () => {
  const pins = pinsOf('images/maxtext/requirements.txt');

  test('its Ray is the default of run files, in the base image and in the lock', () => {
    expect(read('images/maxtext/Dockerfile')).toMatch(
      new RegExp(`^FROM rayproject/ray:${DEFAULT_RAY_VERSION}-py312$`, 'm'),
    );
    expect(pins.get('ray')).toBe(DEFAULT_RAY_VERSION);
  });

  test('its MaxText, JAX and libtpu are those of the compile check, whose verdict is about them', () => {
    const compileCheck = pinsOf('compile_check/requirements.txt');
    for (const name of ['maxtext', 'jax', 'jaxlib', 'libtpu', 'flax', 'optax']) {
      expect([name, pins.get(name)]).toEqual([name, compileCheck.get(name)]);
      expect(pins.get(name)).toMatch(/^\d/);
    }
  });

  test('every package of the lock is pinned', () => {
    const lines = read('images/maxtext/requirements.txt')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines).toHaveLength(pins.size);
    expect(pins.size).toBeGreaterThan(100);
  });

  test('its last user is a number, which Kubernetes can tell from root', () => {
    const users = [...read('images/maxtext/Dockerfile').matchAll(/^USER (.+)$/gm)].map(([, user]) => user);
    expect(users.at(-1)).toMatch(/^[1-9]\d*(:[1-9]\d*)?$/);
  });
});

test.each(readdirSync(join(ROOT, 'images')))(
  'images/%s/Dockerfile holds no secret and asks for none',
  (image) => {
    expect(read(`images/${image}/Dockerfile`)).not.toMatch(/TOKEN=|SECRET|PASSWORD|API_KEY|type=secret/i);
  },
);
