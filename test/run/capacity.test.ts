import type { RunSpec } from '../../lib/run';
import type { CapacitySpec } from '../../lib/tpu';
import { AUTOPILOT, PLATFORM, RUN, runProblems, trainingRun } from '../support/training-run';

function withCapacity(capacity: CapacitySpec): RunSpec {
  return { ...RUN, tpu: { ...RUN.tpu, capacity } };
}

const SPOT = 'cloud.google.com/gke-spot';
const FLEX = 'cloud.google.com/gke-flex-start';
const POOL = 'cdk8s-tpu-ray/node-pool';
const TOLERATE_SPOT = { key: SPOT, operator: 'Equal', value: 'true', effect: 'NoSchedule' };
const tolerate = (value: string): object => ({
  key: POOL,
  operator: 'Equal',
  value,
  effect: 'NoSchedule',
});

test.each<[CapacitySpec, 'standard' | 'autopilot', object, object[]]>([
  [{ kind: 'on-demand' }, 'standard', { [POOL]: 'v6e-4x4' }, []],
  [{ kind: 'on-demand' }, 'autopilot', {}, []],
  [
    { kind: 'spot' },
    'standard',
    { [SPOT]: 'true', [POOL]: 'v6e-4x4-spot' },
    [TOLERATE_SPOT, tolerate('v6e-4x4-spot')],
  ],
  [{ kind: 'spot' }, 'autopilot', { [SPOT]: 'true' }, [TOLERATE_SPOT]],
  [
    { kind: 'flex-start' },
    'standard',
    { [FLEX]: 'true', [POOL]: 'v6e-4x4-flex' },
    [tolerate('v6e-4x4-flex')],
  ],
  [{ kind: 'flex-start' }, 'autopilot', { [FLEX]: 'true' }, []],
  [
    { kind: 'reservation', name: 'r' },
    'standard',
    { [POOL]: 'v6e-4x4-res-6dc8' },
    [tolerate('v6e-4x4-res-6dc8')],
  ],
  [
    { kind: 'reservation', name: 'r' },
    'autopilot',
    { 'cloud.google.com/reservation-name': 'r', 'cloud.google.com/reservation-affinity': 'specific' },
    [],
  ],
  [
    { kind: 'reservation', name: 'r', project: 'owner-project' },
    'autopilot',
    {
      'cloud.google.com/reservation-name': 'r',
      'cloud.google.com/reservation-affinity': 'specific',
      'cloud.google.com/reservation-project': 'owner-project',
    },
    [],
  ],
])('field report 91 and D1: %j on %s', (capacity, mode, nodeSelector, tolerations) => {
  const platform = mode === 'standard' ? PLATFORM : AUTOPILOT;
  expect(trainingRun(withCapacity(capacity), platform).scheduling).toEqual({ nodeSelector, tolerations });
});

test('field report 92: fails for a reservation with its path, and takes it apart', () => {
  const capacity = { kind: 'reservation', name: 'projects/owner-project/reservations/r' } as const;
  expect(runProblems(withCapacity(capacity))).toEqual([
    "tpu.capacity.name: 'projects/owner-project/reservations/r': a reservation is named without its path: lower-case letters, digits and dashes, at most 63; write name: r and project: owner-project",
  ]);
});

test.each(['R', 'a_b', '', '1r', 'a'.repeat(64)])("fails for the reservation '%s'", (name) => {
  expect(runProblems(withCapacity({ kind: 'reservation', name }))).toEqual([
    `tpu.capacity.name: '${name}': a reservation is named without its path: lower-case letters, digits and dashes, at most 63; write the name as \`gcloud compute reservations list\` shows it`,
  ]);
});

test('fails for a project that is none', () => {
  expect(runProblems(withCapacity({ kind: 'reservation', name: 'r', project: 'a\tb' }))).toEqual([
    'tpu.capacity.project: "a\\tb": a project id has 6 to 30 lower-case letters, digits and dashes and begins with a letter; write the id of the project that owns the reservation',
  ]);
});
