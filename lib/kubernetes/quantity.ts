const SUFFIX_FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

const QUANTITY = /^([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?[0-9]{1,2})?$/;

/** How a quantity may be written, for messages. */
export const QUANTITY_RULE =
  'a quantity is a number with an optional suffix m, k, M, G, T, P, Ki, Mi, Gi, Ti or Pi';

/**
 * The value of a Kubernetes quantity in its base unit (bytes, cores), or undefined when the text is not one.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function parseQuantity(text: string): number | undefined {
  const match = QUANTITY.exec(text);
  if (match === null) return undefined;
  const suffix = match[2] ?? '';
  const factor = /^[eE][+-]?[0-9]/.test(suffix) ? 10 ** Number(suffix.slice(1)) : SUFFIX_FACTORS[suffix];
  return factor === undefined ? undefined : Number(match[1]) * factor;
}
