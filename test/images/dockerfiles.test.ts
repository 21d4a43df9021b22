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

describe('images/torchtpu', () => {
  const pins = pinsOf('images/torchtpu/requirements.txt');

  test('its Ray is the default of run files, and its Transformers knows Gemma 4', () => {
    expect(pins.get('ray')).toBe(DEFAULT_RAY_VERSION);
    const [major, minor] = pins.get('transformers')!.split('.').map(Number);
    expect(major! * 1000 + minor!).toBeGreaterThanOrEqual(5005);
  });

  test('what the base image was built with is not in the lock', () => {
    for (const name of pins.keys())
      expect(name).not.toMatch(/^(torch|torch-tpu|libtpu|triton|nvidia-.*|cuda-.*)$/);
    expect(pins.size).toBeGreaterThan(60);
  });

  test('the suite on CPUs runs the same Ray, Torch and Transformers', () => {
    const given = pinsOf('images/torchtpu/requirements.in');
    const suite = pinsOf('rehearsal/requirements-torch.txt');
    for (const name of ['ray', 'transformers', 'datasets', 'torch']) {
      expect([name, suite.get(name)]).toEqual([name, given.get(name)]);
    }
  });

  test('its last user is a number, which Kubernetes can tell from root', () => {
    const users = [...read('images/torchtpu/Dockerfile').matchAll(/^USER (.+)$/gm)].map(([, user]) => user);
    expect(users.at(-1)).toMatch(/^[1-9]\d*(:[1-9]\d*)?$/);
  });
});

test.each(readdirSync(join(ROOT, 'images')))(
  'images/%s/Dockerfile holds no secret and asks for none',
  (image) => {
    expect(read(`images/${image}/Dockerfile`)).not.toMatch(/TOKEN=|SECRET|PASSWORD|API_KEY|type=secret/i);
  },
);
