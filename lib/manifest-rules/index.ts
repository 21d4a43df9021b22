export { checkManifests, MANIFEST_RULES, manifestProblemText, manifestValidation } from './check-manifests';
export type { ManifestProblem } from './manifest';
export type { ExternalObject, ManifestRule, ManifestRuleOptions } from './rule';
