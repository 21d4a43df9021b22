import { problem } from '../problems';
import type { Problem } from '../problems';
/** Parts of an image reference, as in `HOST/PROJECT/REPOSITORY/NAME:TAG` or `…@sha256:…`. */
export interface ImageReference {
  /** Everything before tag and digest. */
  readonly name: string;
  readonly tag?: string;
  readonly digest?: string;
}

/** Longest name, host included. */
const LONGEST_NAME = 255;

const HOST =
  /^(?:[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?)*|\[[0-9A-Fa-f:]+\])(?::[0-9]{1,5})?$/;
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const TAG = /^[A-Za-z0-9_][-.A-Za-z0-9_]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/**
 * The parts of an image reference, or why no registry takes it. A first part with a dot, a colon or the name localhost is a host.
 * @see https://github.com/distribution/reference/blob/main/reference.go
 */
export function parseImageReference(text: string): ImageReference | Problem {
  const at = text.indexOf('@');
  const digest = at < 0 ? undefined : text.slice(at + 1);
  const tagged = at < 0 ? text : text.slice(0, at);
  const colon = tagged.indexOf(':', tagged.lastIndexOf('/') + 1);
  const tag = colon < 0 ? undefined : tagged.slice(colon + 1);
  const name = colon < 0 ? tagged : tagged.slice(0, colon);
  if (digest !== undefined && !DIGEST.test(digest)) {
    return problem('IMAGE_DIGEST', [], name);
  }
  if (tag !== undefined && !TAG.test(tag)) {
    return problem('IMAGE_TAG', [], name);
  }
  const error = nameError(name);
  if (error !== undefined) return error;
  return { name, ...(tag === undefined ? {} : { tag }), ...(digest === undefined ? {} : { digest }) };
}

function nameError(name: string): Problem | undefined {
  if (name.length > LONGEST_NAME) {
    return problem('IMAGE_LENGTH', [], name, { longestName: LONGEST_NAME, length: name.length });
  }
  const [first = '', ...rest] = name.split('/');
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const path = isHost ? rest : [first, ...rest];
  if ((!isHost || HOST.test(first)) && path.every((component) => COMPONENT.test(component))) return undefined;
  const lower = [...(isHost ? [first] : []), ...path.map((component) => component.toLowerCase())].join('/');
  return problem('IMAGE_REFERENCE', [], name, {
    advice:
      lower === name || path.some((component) => !COMPONENT.test(component.toLowerCase()))
        ? 'write it as in HOST/PROJECT/REPOSITORY/NAME:TAG'
        : `write ${lower}`,
  });
}

/** Whether a parsed text is no reference. */
export function isImageReferenceError(parsed: ImageReference | Problem): parsed is Problem {
  return 'rule' in parsed;
}
