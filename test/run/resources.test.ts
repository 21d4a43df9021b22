import type { PodResources, RunResources } from '../../lib/run';
import { headContainers } from '../../lib/run';
import { RUN, TORCH, runProblems, trainingRun } from '../support/training-run';

function problemsOf(resources: RunResources): string[] {
  return runProblems({ ...RUN, resources });
}

test('defaults: head and submitter are small, a worker has half of its host, /dev/shm half of the memory', () => {
  expect(trainingRun().resources).toEqual({
    head: { cpu: '8', cpuLimit: '8', memory: '16Gi', sharedMemory: '8Gi' },
    worker: { cpu: '90', cpuLimit: '90', memory: '335Gi', sharedMemory: '171520Mi' },
    submitter: { cpu: '100m', cpuLimit: '1', memory: '256Mi', sharedMemory: '128Mi' },
  });
  expect(trainingRun(TORCH).resources.worker).toMatchObject({ cpu: '112', memory: '447Gi' });
});

test('a CPU limit follows the request unless both are given', () => {
  const { head, submitter } = trainingRun({
    ...RUN,
    resources: { head: { cpu: '4', cpuLimit: '6' }, submitter: { cpu: '2' } },
  }).resources;
  expect([head.cpu, head.cpuLimit]).toEqual(['4', '6']);
  expect([submitter.cpu, submitter.cpuLimit]).toEqual(['2', '2']);
});

test.each<[string, RunResources, string[]]>([
  [
    'texts that are no quantities',
    { head: { cpu: 'two', memory: '16GB' } },
    [
      "resources.head.cpu: 'two': a quantity is a number with an optional suffix m, k, M, G, T, P, Ki, Mi, Gi, Ti or Pi; write it as in 8",
      "resources.head.memory: '16GB': a quantity is a number with an optional suffix m, k, M, G, T, P, Ki, Mi, Gi, Ti or Pi; write it as in 16Gi",
    ],
  ],
  [
    'field report 53: an amount of zero',
    { worker: { cpu: '0' } },
    [
      "resources.worker.cpu: '0': an amount of 0 starves the container or breaks autoscalers; write it as in 8",
    ],
  ],
  [
    'memory in thousandths of a byte',
    { head: { memory: '16m' } },
    [
      "resources.head.memory: '16m': memory is counted in bytes, at least 16Mi; the suffix m means thousandths of a byte; write it as in 16Gi",
    ],
  ],
  [
    'memory without a suffix',
    { worker: { memory: '200' } },
    [
      "resources.worker.memory: '200': memory is counted in bytes, at least 16Mi; the suffix m means thousandths of a byte; write it as in 16Gi",
    ],
  ],
  [
    'a limit below the request',
    { head: { cpu: '8', cpuLimit: '4' } },
    ["resources.head.cpuLimit: '4': the limit is at least the request of 8; raise the limit or lower cpu"],
  ],
  [
    'field report 84: /dev/shm as large as the memory',
    { worker: { memory: '16Gi', sharedMemory: '32Gi' } },
    [
      "resources.worker.sharedMemory: '32Gi': /dev/shm counts against the memory limit of 16Gi and must be smaller; lower sharedMemory, or raise memory",
    ],
  ],
  [
    'shared memory of the submitter, which has none',
    { submitter: { sharedMemory: '1Gi' } },
    ["resources.submitter.sharedMemory: '1Gi': the submitter has no /dev/shm volume; remove it"],
  ],
  [
    'field report 87: more CPUs than the machine has',
    { worker: { cpu: '181' } },
    [
      "resources.worker.cpu: '181': of its 180 vCPUs a ct6e-standard-4t offers 179.48 to pods: a worker that asks for more is never placed; ask for at most 162, which leaves room for system pods",
    ],
  ],
  [
    'field report 87: more memory than the machine has',
    { worker: { memory: '800Gi' } },
    [
      "resources.worker.memory: '800Gi': of its 720 GB a ct6e-standard-4t offers 650Gi to pods: a worker that asks for more is never placed; ask for at most 603Gi, which leaves room for system pods",
    ],
  ],
  [
    'a head with more than any CPU machine',
    { head: { cpu: '90', memory: '500Gi' } },
    [
      "resources.head.cpu: '90': heads and submitters run on n2-standard machines, the largest of which leaves 78 CPUs to them; lower resources.head.cpu",
      "resources.head.memory: '500Gi': heads and submitters run on n2-standard machines, the largest of which leaves 304Gi of memory to them; lower resources.head.memory",
    ],
  ],
])('fails for %s', (_, resources, lines) => {
  expect(problemsOf(resources)).toEqual(lines);
});

test('field report 87: warns above nine tenths of a host', () => {
  const worker: PodResources = { cpu: '170', memory: '650Gi' };
  expect(trainingRun({ ...RUN, resources: { worker } }).warnings).toEqual([
    {
      path: ['resources', 'worker', 'cpu'],
      message:
        '170 of 180 vCPUs leaves less than a tenth of ct6e-standard-4t for system pods and sidecars: the pod may stay Pending',
    },
    {
      path: ['resources', 'worker', 'memory'],
      message:
        '650Gi of 720 GB leaves less than a tenth of ct6e-standard-4t for system pods and sidecars: the pod may stay Pending',
    },
  ]);
});

test('field report 84: /dev/shm is a part of the memory in whatever unit that is written', () => {
  for (const memory of ['200G', '500000M', '3Gi', '100M', '17Mi']) {
    const { sharedMemory } = trainingRun({ ...RUN, resources: { worker: { memory } } }).resources.worker;
    expect(sharedMemory).toMatch(/^[1-9][0-9]*(Gi|Mi)$/);
  }
});

test.each([
  [{ memory: '715G' }, 'worker.memory'],
  [{ cpu: '180' }, 'worker.cpu'],
  [{ cpu: '179.5' }, 'worker.cpu'],
])('B9: a worker of %j fits on no host, and is refused', (worker, path) => {
  const problems = runProblems({ ...RUN, resources: { worker } });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(new RegExp(`^resources\\.${path}: .* never placed; ask for at most `));
});

test.each([{ memory: '690G' }, { cpu: '179' }])('B9: a worker of %j may fit, and is a warning', (worker) => {
  const resources = { worker };
  expect(runProblems({ ...RUN, resources })).toEqual([]);
  expect(trainingRun({ ...RUN, resources }).warnings.map(({ message }) => message)).toEqual([
    expect.stringContaining('may stay Pending') as string,
  ]);
});

test('C6: memory may be written with an exponent', () => {
  expect(runProblems({ ...RUN, resources: { worker: { memory: '200e9' } } })).toEqual([]);
});

test("D8: a head's autoscaler counts in its pod", () => {
  const resources = { head: { cpu: '78.5' } };
  expect(runProblems({ ...RUN, resources })).toEqual([]);
  expect(runProblems({ ...RUN, ray: { autoscaler: true }, resources })).toEqual([
    "resources.head.cpu: '78.5': heads and submitters run on n2-standard machines, the largest of which leaves 78 CPUs to them, Ray's autoscaler among them; lower resources.head.cpu",
  ]);
  expect(headContainers(trainingRun().resources.head, true)).toHaveLength(2);
});
