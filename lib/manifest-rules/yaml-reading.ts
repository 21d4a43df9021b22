import { misreading } from '../kubernetes/yaml-text';
import type { Problem } from '../problem';
import { isObject, pathOf, walk } from './json';
import { forEachManifest } from './rule';

/**
 * What is written as YAML is read back as what was meant, by YAML 1.1 readers and by the Go reader of kubectl and GitOps tools. To parse
 * everything again would cost far more than all other rules together, so only texts that a reader is known to misread are looked for; the
 * tests compare with a full re-parse.
 */
export const yamlReading = forEachManifest(({ object }) => {
  const problems: Problem[] = [];
  walk(object, (value, keys) => {
    if (typeof value === 'string') {
      const rule = misreading(value);
      if (rule !== undefined) problems.push({ path: pathOf(keys), value, rule, fix: 'write it another way' });
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        const rule = key === '<<' ? 'YAML takes the key << for a merge of maps' : misreading(key);
        if (rule !== undefined)
          problems.push({ path: pathOf(keys), value: key, rule, fix: 'change the key' });
      }
    }
  });
  return problems;
});
