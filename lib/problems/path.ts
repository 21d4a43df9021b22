/** Keys and indexes that lead from the root of a document to a part of it. Empty for the whole document. */
export type Path = readonly (string | number)[];

/** A path as it is shown: `trainer.mesh.ici.fsdp`, `volumes[0].size`, `metadata.labels["app.kubernetes.io/name"]`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${String(key)}]`;
    if (!/^[A-Za-z_][\w-]*$/.test(key)) return `${text}[${JSON.stringify(key)}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');
}

/** Whether two paths lead to the same part. */
export function isSamePath(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}
