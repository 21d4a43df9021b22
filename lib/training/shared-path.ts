import { bucketFormProblem } from '../kubernetes/bucket-name';
import type { Problem } from '../problem';

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
    const rule = 'a path says where it is without ..';
    return [{ path: option, value, rule, fix: 'write the folder itself' }];
  }
  if (value.startsWith(SCHEME)) {
    const [bucket = ''] = value.slice(SCHEME.length).split('/');
    const problem = bucketFormProblem(bucket);
    if (problem === undefined) return [];
    return [
      { path: option, value, rule: `gs:// and the name of a bucket: ${problem.rule}`, fix: problem.fix },
    ];
  }
  const usable = mounts.filter(({ readOnly }) => access === 'read' || !readOnly);
  if (usable.some(({ path }) => isBeneath(value, path))) return [];
  const listed = mounts.map(({ path, readOnly }) => (readOnly ? `${path} (read-only)` : path)).join(', ');
  return [
    {
      path: option,
      value,
      rule: `head and workers must all ${access === 'read' ? 'read' : 'write to'} it: gs://BUCKET/… or a path beneath a mounted bucket or claim, and the run mounts ${listed || 'none'}`,
      fix:
        usable.length === 0
          ? 'write gs://…, or add a gcs-fuse volume'
          : `write gs://… or ${usable[0]?.path ?? ''}/…`,
    },
  ];
}

const SCHEME = 'gs://';

function isBeneath(value: string, mount: string): boolean {
  return value === mount || value.startsWith(`${mount}/`);
}
