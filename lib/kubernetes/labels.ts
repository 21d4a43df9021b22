import { DNS1123_SUBDOMAIN, DNS_SUBDOMAIN_MAX } from './names';

const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/**
 * Why a text is no key of a label or annotation, or undefined: `[prefix/]name` of at most 63 characters.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
 */
export function labelKeyError(key: string): string | undefined {
  const slash = key.indexOf('/');
  const prefix = key.slice(0, Math.max(0, slash));
  const isLegal =
    NAME.test(key.slice(slash + 1)) &&
    (slash === -1 || (prefix.length <= DNS_SUBDOMAIN_MAX && DNS1123_SUBDOMAIN.test(prefix)));
  return isLegal
    ? undefined
    : 'a key is [prefix/]name, the prefix a DNS subdomain, the name at most 63 letters, digits, -, _ and .';
}

/** Why a text is no value of a label, or undefined; it may be empty. */
export function labelValueError(value: string): string | undefined {
  return value === '' || NAME.test(value)
    ? undefined
    : 'a label value has at most 63 letters, digits, -, _ and ., and begins and ends with a letter or digit';
}
