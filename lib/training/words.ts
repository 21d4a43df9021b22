/** Bytes as GiB with one decimal, as in `5.6 GiB`. */
export function gib(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}

/** `2`, or `1–2`. */
export function rangeText({ min, max }: { readonly min: number; readonly max: number }): string {
  return min === max ? String(max) : `${String(min)}–${String(max)}`;
}
