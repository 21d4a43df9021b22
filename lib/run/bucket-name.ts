/**
 * Why a text is no Cloud Storage bucket name, or undefined when it is one.
 * @see https://cloud.google.com/storage/docs/buckets#naming
 */
export function bucketNameProblem(name: string): { rule: string; fix: string } | undefined {
  const rule =
    'a bucket is named without gs:// and path: 3 to 63 lower-case letters, digits, dashes, underscores and dots, beginning and ending with a letter or digit';
  const withoutScheme = name.replace(/^gs:\/\//, '');
  const [bucket = '', ...folders] = withoutScheme.split('/').filter((part) => part !== '');
  if (name !== bucket) {
    const folder = folders.join('/');
    return {
      rule,
      fix:
        folder === '' ? `write ${bucket}` : `write ${bucket}, and mount its folder with onlyDir: ${folder}`,
    };
  }
  if (name.startsWith('goog') || name.includes('google')) {
    return { rule: 'no bucket name begins with goog or contains google', fix: 'choose another name' };
  }
  if (/\.[-.]|-\./.test(name)) {
    return {
      rule: 'dots of a bucket name stand between letters and digits, as in a domain',
      fix: 'use dashes',
    };
  }
  const valid = /^[a-z0-9][-_.a-z0-9]{1,61}[a-z0-9]$/.test(name) && !/^\d+\.\d+\.\d+\.\d+$/.test(name);
  return valid ? undefined : { rule, fix: `try ${name.toLowerCase().replace(/[^-_.a-z0-9]/g, '-')}` };
}
