/** Why a text is no bucket name, and what to do about it. */
export interface BucketNameError {
  readonly rule: string;
  readonly fix: string;
}

const NAME = /^[a-z0-9][-_.a-z0-9]{1,61}[a-z0-9]$/;
const ADDRESS = /^\d+\.\d+\.\d+\.\d+$/;
const NO_DOMAIN = /\.[-.]|-\./;
const RULE =
  'a bucket is named without gs:// and path: 3 to 63 lower-case letters, digits, dashes, underscores and dots, beginning and ending with a letter or digit';

/**
 * Why a text is no Cloud Storage bucket name one can choose, or undefined when it is one.
 * @see https://cloud.google.com/storage/docs/buckets#naming
 */
export function bucketNameProblem(name: string): BucketNameError | undefined {
  if (name.startsWith('goog') || name.includes('google')) {
    return { rule: 'no bucket name begins with goog or contains google', fix: 'choose another name' };
  }
  return bucketFormProblem(name);
}

/** The same of a bucket that exists: Google's own may have google in their names. */
export function bucketFormProblem(name: string): BucketNameError | undefined {
  const [bucket = '', ...folders] = name
    .replace(/^gs:\/\//, '')
    .split('/')
    .filter((part) => part !== '');
  if (name !== bucket) {
    const meant = suggestion(bucket);
    const folder = folders.join('/');
    if (meant === undefined) return { rule: RULE, fix: 'write the name of the bucket' };
    const fix =
      folder === '' ? `write ${meant}` : `write ${meant}, and mount its folder with onlyDir: ${folder}`;
    return { rule: RULE, fix };
  }
  if (NO_DOMAIN.test(name)) {
    return {
      rule: 'dots of a bucket name stand between letters and digits, as in a domain',
      fix: 'use dashes',
    };
  }
  if (isName(name)) return undefined;
  const meant = suggestion(name);
  const fix = meant === undefined ? 'choose a name of 3 to 63 such characters' : `try ${meant}`;
  return { rule: RULE, fix };
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
