/** A DNS label that may begin with a digit. @see https://www.rfc-editor.org/rfc/rfc1123#section-2 */
export const DNS1123_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** A DNS label that begins with a letter. @see https://www.rfc-editor.org/rfc/rfc1035#section-2.3.1 */
export const DNS1035_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** DNS labels joined by dots. */
export const DNS1123_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Most characters of a DNS label. */
export const LABEL_MAX = 63;

/** Most characters of a DNS subdomain. */
export const SUBDOMAIN_MAX = 253;

/** What a name breaks, as the end of a sentence that begins with the thing's kind; undefined when it breaks nothing. */
export function dns1123LabelProblem(name: string, longest: number = LABEL_MAX): string | undefined {
  if (!DNS1123_LABEL.test(name)) {
    return 'has lower-case letters, digits and dashes, and begins and ends with a letter or digit';
  }
  return lengthProblem(name, longest);
}

/** As `dns1123LabelProblem`, for names that must begin with a letter. */
export function dns1035LabelProblem(name: string, longest: number = LABEL_MAX): string | undefined {
  if (!DNS1035_LABEL.test(name)) {
    return 'has lower-case letters, digits and dashes, begins with a letter and ends with a letter or digit';
  }
  return lengthProblem(name, longest);
}

/** As `dns1123LabelProblem`, for names of labels joined by dots. */
export function dns1123SubdomainProblem(name: string, longest: number = SUBDOMAIN_MAX): string | undefined {
  if (!DNS1123_SUBDOMAIN.test(name)) {
    return 'has lower-case letters, digits, dashes and dots, and begins and ends with a letter or digit';
  }
  return lengthProblem(name, longest);
}

function lengthProblem(name: string, longest: number): string | undefined {
  return name.length <= longest
    ? undefined
    : `has at most ${String(longest)} characters; this one has ${String(name.length)}`;
}
