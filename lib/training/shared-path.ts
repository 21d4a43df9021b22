import { bucketFormProblem } from '../kubernetes/bucket-name';
import { problem } from '../problems';
import type { Problem } from '../problems';

/** A folder that the head and every worker share through a bucket or a claim. */
export interface SharedMount {
  readonly path: string;
  readonly readOnly: boolean;
}

/**
 * The problem of a path that not the head and every worker can read (or write), if any: it must be gs://… or beneath a
 * shared mount. `option` is the Problem's path; a value that is left out has none.
 */
export function checkSharedPath(
  option: string,
  value: string | undefined,
  mounts: readonly SharedMount[],
  access: 'read' | 'write',
): Problem[] {
  if (value === undefined) return [];
  if (value.split('/').includes('..')) {
    return [problem('SHARED_PATH_DOTS', [option], value)];
  }
  if (value.startsWith(SCHEME)) {
    const [bucket = ''] = value.slice(SCHEME.length).split('/');
    const misnamed = bucketFormProblem(bucket);
    if (misnamed === undefined) return [];
    return [problem('SHARED_PATH_BUCKET', [option], value, { rule: misnamed.rule, advice: misnamed.fix })];
  }
  const usable = mounts.filter(({ readOnly }) => access === 'read' || !readOnly);
  if (usable.some(({ path }) => isBeneath(value, path))) return [];
  const listed = mounts.map(({ path, readOnly }) => (readOnly ? `${path} (read-only)` : path)).join(', ');
  return [
    problem('SHARED_PATH', [option], value, {
      text: access === 'read' ? 'read' : 'write to',
      listed: listed || 'none',
      advice:
        usable.length === 0
          ? 'write gs://…, or add a gcs-fuse volume'
          : `write gs://… or ${usable[0]?.path ?? ''}/…`,
    }),
  ];
}

const SCHEME = 'gs://';

function isBeneath(value: string, mount: string): boolean {
  return value === mount || value.startsWith(`${mount}/`);
}
