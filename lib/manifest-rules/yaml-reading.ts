import { misreading } from '../kubernetes/yaml-text';
import { problem } from '../problems';
import type { Problem } from '../problems';
import { isObject, walk } from './json';
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
      if (rule !== undefined) problems.push(problem('YAML_READING', [...keys], value, { reason: rule }));
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        const rule = key === '<<' ? 'YAML takes the key << for a merge of maps' : misreading(key);
        if (rule !== undefined) problems.push(problem('YAML_READING_KEY', [...keys], key, { reason: rule }));
      }
    }
  });
  return problems;
});
