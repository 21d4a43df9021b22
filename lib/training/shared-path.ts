import type { Problem } from '../problem';

/**
 * Why a path cannot be seen by the head and every worker, or undefined: it must be gs://… or beneath a shared mount.
 * `path` of the Problem is the option's name.
 */
export function checkSharedPath(
  option: string,
  value: string,
  sharedMounts: readonly string[],
): Problem | undefined {
  if (value.split('/').includes('..')) {
    const rule = 'a path says where it is without ..';
    return { path: option, value, rule, fix: 'write the folder itself' };
  }
  if (/^gs:\/\/[a-z0-9][-_.a-z0-9]+(\/.*)?$/.test(value)) return undefined;
  const beneath = sharedMounts.some((mount) => value === mount || value.startsWith(`${mount}/`));
  if (beneath) return undefined;
  const mounts =
    sharedMounts.length === 0 ? 'the run mounts none' : `the run mounts ${sharedMounts.join(', ')}`;
  return {
    path: option,
    value,
    rule: `head and workers must all see it: gs://BUCKET/… or a path beneath a mounted bucket or claim, and ${mounts}`,
    fix:
      sharedMounts.length === 0
        ? 'write gs://…, or add a gcs-fuse volume'
        : `write gs://… or ${sharedMounts[0] ?? ''}/…`,
  };
}
