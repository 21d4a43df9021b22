import { problem } from '../problems';
import type { Problem } from '../problems';

const NAME = /^[a-z0-9][-_.a-z0-9]{1,61}[a-z0-9]$/;
const ADDRESS = /^\d+\.\d+\.\d+\.\d+$/;
const NO_DOMAIN = /\.[-.]|-\./;

/**
 * Why a text is no Cloud Storage bucket name one can choose, or undefined when it is one. The path is empty.
 * @see https://cloud.google.com/storage/docs/buckets#naming
 */
export function bucketNameProblem(name: string): Problem | undefined {
  if (name.startsWith('goog') || name.includes('google')) {
    return problem('BUCKET_NAME_GOOGLE', [], name);
  }
  return bucketFormProblem(name);
}

/** The same of a bucket that exists: Google's own may have google in their names. */
export function bucketFormProblem(name: string): Problem | undefined {
  const [bucket = '', ...folders] = name
    .replace(/^gs:\/\//, '')
    .split('/')
    .filter((part) => part !== '');
  if (name !== bucket) {
    const meant = suggestion(bucket);
    const folder = folders.join('/');
    if (meant === undefined)
      return problem('BUCKET_NAME', [], name, { advice: 'write the name of the bucket' });
    const fix =
      folder === '' ? `write ${meant}` : `write ${meant}, and mount its folder with onlyDir: ${folder}`;
    return problem('BUCKET_NAME', [], name, { advice: fix });
  }
  if (NO_DOMAIN.test(name)) {
    return problem('BUCKET_NAME_DOTS', [], name);
  }
  if (isName(name)) return undefined;
  const meant = suggestion(name);
  const fix = meant === undefined ? 'choose a name of 3 to 63 such characters' : `try ${meant}`;
  return problem('BUCKET_NAME', [], name, { advice: fix });
}

function isName(text: string): boolean {
  return NAME.test(text) && !ADDRESS.test(text) && !NO_DOMAIN.test(text);
}

/** The name a text was most likely meant to be, where there is one. */
function suggestion(text: string): string | undefined {
  const lower = text
    .toLowerCase()
    .replace(/[^-_.a-z0-9]/g, '-')
    .replace(/^[-_.]+|[-_.]+$/g, '');
  return isName(lower) ? lower : undefined;
}
