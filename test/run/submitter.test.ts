import type { PlatformSpec, SubmitterSpec } from '../../lib/run';
import { PLATFORM, RUN, runProblems, trainingRun } from '../support/training-run';

test('every option', () => {
  const submitter: Required<SubmitterSpec> = {
    startDeadline: '90m',
    runDeadline: '2d',
    onActiveRun: 'wait',
    onFinish: 'deleteCluster',
    repairSlices: true,
    onTermination: 'stop',
    backoffLimit: 0,
    nodeSelector: { pool: 'cpu' },
  };
  expect(trainingRun({ ...RUN, submitter }).submitter).toEqual({
    startDeadlineSeconds: 5400,
    runDeadlineSeconds: 172_800,
    onActiveRun: 'wait',
    onFinish: 'deleteCluster',
    repairSlices: true,
    onTermination: 'stop',
    backoffLimit: 0,
    nodeSelector: { pool: 'cpu' },
  });
});

test.each(['startDeadline', 'runDeadline'] as const)('fails for a %s that is no duration', (key) => {
  expect(runProblems({ ...RUN, submitter: { [key]: 'soon' } })).toEqual([
    `submitter.${key}: 'soon': a duration is a whole number with a unit s, m, h or d, as in 90m or 12h; write it as in 12h`,
  ]);
});

test('fails for node labels that are none, and for a name that kubectl takes for a number', () => {
  const KEY =
    'a key is [prefix/]name, the prefix a DNS subdomain, the name at most 63 letters, digits, -, _ and .; write the label as kubectl get nodes --show-labels has it';
  expect(
    runProblems({ ...RUN, submitter: { nodeSelector: { 'a b': 'c', pool: 'd e', '0o7': 'f' } } }),
  ).toEqual([
    `submitter.nodeSelector["a b"]: 'a b': ${KEY}`,
    "submitter.nodeSelector.pool: 'd e': a label value has at most 63 letters, digits, -, _ and ., and begins and ends with a letter or digit; write the value as kubectl get nodes --show-labels has it",
    `submitter.nodeSelector["0o7"]: '0o7': kubectl would read this text as a number; write the label as kubectl get nodes --show-labels has it`,
  ]);
});

test('field report 10: fails for a node selector of TPU nodes', () => {
  const nodeSelector = { 'cloud.google.com/gke-tpu-topology': '4x4' };
  expect(runProblems({ ...RUN, submitter: { nodeSelector } })).toEqual([
    `submitter.nodeSelector["cloud.google.com/gke-tpu-topology"]: '4x4': the submitter needs no TPU and must not hold a TPU host; remove it`,
  ]);
});

describe.each(['argo-cd', 'flux'] as const)('A4: under %s', (gitOps) => {
  const platform: PlatformSpec = { ...PLATFORM, gitOps };

  test('a RayCluster that the submitter deletes is refused: git still wants it', () => {
    expect(runProblems({ ...RUN, submitter: { onFinish: 'deleteCluster' } }, platform)).toEqual([
      `submitter.onFinish: 'deleteCluster': git still wants the RayCluster: ${gitOps} would make it again, TPU hosts included, with nothing to train on them; leave it out, and remove the run file when the run has ended: pruning deletes the RayCluster`,
    ]);
  });

  test('a deleted submitter that stops the run is refused: another Job follows it', () => {
    expect(runProblems({ ...RUN, submitter: { onTermination: 'stop' } }, platform)).toEqual([
      `submitter.onTermination: 'stop': a change of the submitter makes another Job, which follows the same run; ${gitOps} prunes the Job before it, which would stop that run; write detach; to stop a run, use ray job stop or remove its file`,
    ]);
  });

  test('the rest is not, and neither is anything without such a tool', () => {
    expect(
      runProblems({ ...RUN, submitter: { onFinish: 'keep', onTermination: 'detach' } }, platform),
    ).toEqual([]);
    expect(runProblems({ ...RUN, submitter: { onFinish: 'deleteCluster', onTermination: 'stop' } })).toEqual(
      [],
    );
  });
});
