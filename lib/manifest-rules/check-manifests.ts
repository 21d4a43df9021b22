import { clusterScope } from './cluster-scope';
import { containerResources } from './container-resources';
import { deviceClaims } from './device-claims';
import { environmentNames } from './environment-names';
import { fieldNames } from './field-names';
import { gcsFuseAnnotation } from './gcs-fuse-annotation';
import { gcsFuseHostNetwork } from './gcs-fuse-host-network';
import { jobRestartPolicy } from './job-restart-policy';
import { kubeRayFields } from './kuberay-fields';
import { labelSyntax } from './label-syntax';
import { leftoverPlaceholders } from './leftover-placeholders';
import { literalSecrets } from './literal-secrets';
import { type ManifestProblem, viewManifest } from './manifest';
import { monitoringPort } from './monitoring-port';
import { monitoringSelector } from './monitoring-selector';
import { mountPaths } from './mount-paths';
import { names } from './names';
import { numOfHosts } from './num-of-hosts';
import { operatorRefusals } from './operator-refusals';
import { ownedEnvironment } from './owned-environment';
import { pathText } from '../problems';
import { plainJson } from './plain-json';
import { podClaims } from './pod-claims';
import { podSecurity } from './pod-security';
import { podUsers } from './pod-users';
import { podVolumes } from './pod-volumes';
import { ports } from './ports';
import { rayContainerFirst } from './ray-container-first';
import { references } from './references';
import type { ManifestRule, ManifestRuleOptions } from './rule';
import { stringValues } from './string-values';
import { tpuGroupShape } from './tpu-group-shape';
import { tpuHostFit } from './tpu-host-fit';
import { tpuNodeMatch } from './tpu-node-match';
import { tpuResources } from './tpu-resources';
import { uniqueIdentity } from './unique-identity';
import { volumeHandles } from './volume-handles';
import { webhookLabels } from './webhook-labels';
import { yamlReading } from './yaml-reading';

/** Every rule, in the order in which Problems are shown. */
export const MANIFEST_RULES: Readonly<Record<string, ManifestRule>> = {
  plainJson,
  uniqueIdentity,
  names,
  clusterScope,
  labelSyntax,
  stringValues,
  leftoverPlaceholders,
  yamlReading,
  kubeRayFields,
  fieldNames,
  numOfHosts,
  tpuGroupShape,
  tpuNodeMatch,
  tpuHostFit,
  operatorRefusals,
  rayContainerFirst,
  webhookLabels,
  ownedEnvironment,
  containerResources,
  tpuResources,
  jobRestartPolicy,
  podUsers,
  podSecurity,
  environmentNames,
  ports,
  mountPaths,
  podVolumes,
  volumeHandles,
  podClaims,
  deviceClaims,
  gcsFuseAnnotation,
  gcsFuseHostNetwork,
  references,
  monitoringSelector,
  monitoringPort,
  literalSecrets,
};

/**
 * Checks rendered objects by every rule. Pure.
 *
 * @param objects plain JSON as `toJson()` gives it; all objects that are applied together, since references and identities cross files
 * @returns every Problem found, none if the objects may be applied
 */
export function checkManifests(objects: readonly unknown[], options: ManifestRuleOptions): ManifestProblem[] {
  const manifests = objects.map(viewManifest);
  return Object.values(MANIFEST_RULES).flatMap((rule) => rule(manifests, options));
}

/** Longest value shown; a whole pod would bury the message. */
const SHOWN_VALUE_MAX = 200;

/** One line for a person: `RayCluster default/run: spec.rayVersion is 2: this value must be a string; write it as "2" [STRING_VALUE]`. */
export function manifestProblemText({ object, id, path, value, rule, fix }: ManifestProblem): string {
  const found = value === undefined ? 'is missing' : `is ${shown(value)}`;
  return `${object}: ${pathText(path)} ${found}: ${rule}; ${fix} [${id}]`;
}

function shown(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' && typeof value !== 'boolean' && typeof value !== 'object')
    return `a ${typeof value}`;
  const text = JSON.stringify(value);
  return text.length <= SHOWN_VALUE_MAX ? text : `${text.slice(0, SHOWN_VALUE_MAX)}…`;
}

/**
 * The rules as a validation of a construct, run by `app.synth()`. For everything below a chart or an app:
 * `scope.node.addValidation(manifestValidation(() => scope.node.findAll().filter(ApiObject.isApiObject).map((o) => o.toJson()), options))`.
 *
 * @param objects gives the rendered objects when the validation runs. It must not call `chart.toJson()`, which validates and so would never end
 */
export function manifestValidation(
  objects: () => readonly unknown[],
  options: ManifestRuleOptions,
): { validate(): string[] } {
  return { validate: () => checkManifests(objects(), options).map(manifestProblemText) };
}
