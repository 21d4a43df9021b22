import { gkeAllocatable } from '../../lib/kubernetes/gke-allocatable';

const GIB = 2 ** 30;
const MIB = 2 ** 20;

test('of 16 GiB GKE keeps a quarter of 4, a fifth of 4, a tenth of 8, and 100 MiB for eviction', () => {
  const { memoryBytes } = gkeAllocatable(4, 16 * GIB);
  expect(memoryBytes).toBe(Math.floor(16 * GIB - (1 + 0.8 + 0.8) * GIB - 100 * MIB));
});

test('of 4 CPUs GKE keeps 6 % of the first, 1 % of the second, half a percent of the next two', () => {
  expect(gkeAllocatable(4, 16 * GIB).cpu).toBe(3.92);
});

test.each([
  [8, 32],
  [180, 720],
  [224, 960],
])('of %d CPUs and %d GiB most is left, and never all', (vcpus, gib) => {
  const { cpu, memoryBytes } = gkeAllocatable(vcpus, gib * GIB);
  expect(cpu).toBeLessThan(vcpus);
  expect(cpu).toBeGreaterThan(vcpus * 0.98);
  expect(memoryBytes).toBeLessThan(gib * GIB);
  expect(memoryBytes).toBeGreaterThan(gib * GIB * 0.85);
});
