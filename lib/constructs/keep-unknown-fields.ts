import { ApiObject } from 'cdk8s';
import type { Resource } from 'cdk8s-plus-29';

/**
 * The API object of a cdk8s-plus resource, made to render every field it was given. The generated classes drop what
 * their Kubernetes version does not know, JSON patches included, without a word.
 * @see https://github.com/cdk8s-team/cdk8s-core/issues/72
 */
export function keepUnknownFields(resource: Resource): ApiObject {
  const object = ApiObject.of(resource);
  object.toJson = () => ApiObject.prototype.toJson.call(object) as unknown;
  return object;
}
