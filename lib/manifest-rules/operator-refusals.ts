import type { Problem } from '../problem';
import { asObject, asText, type JsonObject } from './json';
import type { RayClusterView } from './manifest';
import { forEachManifest } from './rule';

/** `ray start` parameters that say what a group's `resources` say. */
const RESOURCE_PARAMETERS = ['num-cpus', 'num-gpus', 'memory', 'resources'] as const;

/**
 * What the KubeRay operator refuses though the API server takes it: the RayCluster is stored, and the refusal is an event that
 * nobody reads while the slices wait.
 *
 * @see https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/controllers/ray/utils/validation.go
 */
export const operatorRefusals = forEachManifest(({ rayClusters }) =>
  rayClusters.flatMap((cluster) => [
    ...groupsOf(cluster).flatMap(({ path, group }) => [
      ...templateProblems(path, group),
      ...startParameterProblems(path, group),
    ]),
    ...cluster.workerGroups.flatMap(({ path, group }) => [
      ...nameProblems(path, group),
      ...rangeProblems(path, group),
    ]),
    ...autoscalerProblems(cluster),
  ]),
);

function groupsOf({ path, spec, workerGroups }: RayClusterView): { path: string; group: JsonObject }[] {
  return [{ path: `${path}.headGroupSpec`, group: asObject(spec['headGroupSpec']) }, ...workerGroups];
}

function templateProblems(path: string, group: JsonObject): Problem[] {
  if (group['template'] !== undefined) return [];
  const rule = 'head and worker groups have a pod template';
  return [
    { path: `${path}.template`, value: undefined, rule, fix: 'add the template with the Ray container' },
  ];
}

function nameProblems(path: string, group: JsonObject): Problem[] {
  if (asText(group['groupName']) !== undefined) return [];
  return [
    {
      path: `${path}.groupName`,
      value: group['groupName'],
      rule: 'a worker group has a name',
      fix: 'add it',
    },
  ];
}

function startParameterProblems(path: string, group: JsonObject): Problem[] {
  const parameters = asObject(group['rayStartParams']);
  const problems: Problem[] = [];
  if (parameters['labels'] !== undefined) {
    problems.push({
      path: `${path}.rayStartParams.labels`,
      value: parameters['labels'],
      rule: 'the operator refuses labels as a parameter of ray start',
      fix: 'use the labels of the group (KubeRay 1.5 and newer)',
    });
  }
  if (Object.keys(asObject(group['resources'])).length === 0) return problems;
  for (const name of RESOURCE_PARAMETERS.filter((parameter) => parameters[parameter] !== undefined)) {
    problems.push({
      path: `${path}.rayStartParams.${name}`,
      value: parameters[name],
      rule: 'the operator refuses a group that gives its resources twice, in resources and in rayStartParams',
      fix: `keep resources and remove ${name}`,
    });
  }
  return problems;
}

function rangeProblems(path: string, group: JsonObject): Problem[] {
  const { minReplicas: min, maxReplicas: max, replicas } = group as Record<string, unknown>;
  const problems: Problem[] = [];
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    const rule = `minReplicas is at most maxReplicas, here ${String(max)}`;
    problems.push({ path: `${path}.minReplicas`, value: min, rule, fix: 'swap them' });
  } else if (typeof replicas === 'number') {
    const low = typeof min === 'number' ? min : 0;
    const high = typeof max === 'number' ? max : Number.POSITIVE_INFINITY;
    if (replicas < low || replicas > high) {
      const rule = `replicas lies between minReplicas and maxReplicas, here ${String(low)} and ${String(high)}; the operator takes the nearest in silence`;
      problems.push({ path: `${path}.replicas`, value: replicas, rule, fix: 'change one of the three' });
    }
  }
  return problems;
}

/** The autoscaler v2 replaces pods itself: a pod that restarts in place would come back without its slice. */
function autoscalerProblems(cluster: RayClusterView): Problem[] {
  const options = asObject(cluster.spec['autoscalerOptions']);
  if (cluster.spec['enableInTreeAutoscaling'] !== true || options['version'] !== 'v2') return [];
  return groupsOf(cluster).flatMap(({ path, group }) => {
    const policy = asObject(asObject(group['template'])['spec'])['restartPolicy'];
    if (policy === undefined || policy === 'Never') return [];
    return [
      {
        path: `${path}.template.spec.restartPolicy`,
        value: policy,
        rule: 'with the autoscaler v2 the pods of head and workers have restartPolicy Never, or none',
        fix: 'set it to Never',
      },
    ];
  });
}
