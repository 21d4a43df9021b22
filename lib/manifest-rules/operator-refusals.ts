import { problem } from '../problems';
import type { Path, Problem } from '../problems';
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

function groupsOf({ path, spec, workerGroups }: RayClusterView): { path: Path; group: JsonObject }[] {
  return [{ path: [...path, 'headGroupSpec'], group: asObject(spec['headGroupSpec']) }, ...workerGroups];
}

function templateProblems(path: Path, group: JsonObject): Problem[] {
  if (group['template'] !== undefined) return [];
  return [problem('GROUP_TEMPLATE_MISSING', [...path, 'template'], undefined)];
}

function nameProblems(path: Path, group: JsonObject): Problem[] {
  if (asText(group['groupName']) !== undefined) return [];
  return [problem('GROUP_NAME_MISSING', [...path, 'groupName'], group['groupName'])];
}

function startParameterProblems(path: Path, group: JsonObject): Problem[] {
  const parameters = asObject(group['rayStartParams']);
  const problems: Problem[] = [];
  if (parameters['labels'] !== undefined) {
    problems.push(
      problem('GROUP_LABELS_PARAMETER', [...path, 'rayStartParams', 'labels'], parameters['labels']),
    );
  }
  if (Object.keys(asObject(group['resources'])).length === 0) return problems;
  for (const name of RESOURCE_PARAMETERS.filter((parameter) => parameters[parameter] !== undefined)) {
    problems.push(
      problem('GROUP_RESOURCES_TWICE', [...path, 'rayStartParams', name], parameters[name], { name }),
    );
  }
  return problems;
}

function rangeProblems(path: Path, group: JsonObject): Problem[] {
  const { minReplicas: min, maxReplicas: max, replicas } = group as Record<string, unknown>;
  const problems: Problem[] = [];
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    problems.push(problem('GROUP_REPLICAS_RANGE', [...path, 'minReplicas'], min, { max }));
  } else if (typeof replicas === 'number') {
    const low = typeof min === 'number' ? min : 0;
    const high = typeof max === 'number' ? max : Number.POSITIVE_INFINITY;
    if (replicas < low || replicas > high) {
      problems.push(problem('GROUP_REPLICAS', [...path, 'replicas'], replicas, { low, high }));
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
    return [problem('AUTOSCALER_RESTART_POLICY', [...path, 'template', 'spec', 'restartPolicy'], policy)];
  });
}
