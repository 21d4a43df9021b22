/** A label of RFC 1035: begins with a letter. @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ */
export const DNS1035_LABEL = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;

/** A label of RFC 1123: may begin with a digit. */
export const DNS1123_LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** Labels of RFC 1123 joined by dots. */
export const DNS1123_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** The longest DNS label. */
export const DNS_LABEL_MAX = 63;

/** The longest DNS subdomain. */
export const DNS_SUBDOMAIN_MAX = 253;

/** Why `name` is no RFC 1035 label of at most `max` characters, or undefined when it is one. */
export function dns1035LabelError(name: string, max: number = DNS_LABEL_MAX): string | undefined {
  return nameError(
    name,
    DNS1035_LABEL,
    max,
    'lower-case letters, digits and -, beginning with a letter and not ending with -',
  );
}

/** Why `name` is no RFC 1123 label of at most `max` characters, or undefined when it is one. */
export function dns1123LabelError(name: string, max: number = DNS_LABEL_MAX): string | undefined {
  return nameError(
    name,
    DNS1123_LABEL,
    max,
    'lower-case letters, digits and -, neither beginning nor ending with -',
  );
}

/** Why `name` is no RFC 1123 subdomain of at most `max` characters, or undefined when it is one. */
export function dns1123SubdomainError(name: string, max: number = DNS_SUBDOMAIN_MAX): string | undefined {
  const form = 'lower-case letters, digits, - and ., each part neither empty nor beginning nor ending with -';
  return nameError(name, DNS1123_SUBDOMAIN, max, form);
}

function nameError(name: string, form: RegExp, max: number, formText: string): string | undefined {
  if (name.length > max) return `a name here has at most ${max} characters, this one has ${name.length}`;
  return form.test(name) ? undefined : `a name here consists of ${formText}`;
}
