import { dns1035LabelError, dns1123LabelError, dns1123SubdomainError } from '../../lib/kubernetes/names';

test.each(['a', 'llama3-8b', 'x0', 'a'.repeat(63)])('%p is a DNS-1035 label', (name) => {
  expect(dns1035LabelError(name)).toBeUndefined();
  expect(dns1123LabelError(name)).toBeUndefined();
});

test('only DNS-1123 names may begin with a digit (field report 73)', () => {
  expect(dns1123LabelError('8b-run')).toBeUndefined();
  expect(dns1035LabelError('8b-run')).toBe(
    'a name here consists of lower-case letters, digits and -, beginning with a letter and not ending with -',
  );
});

test.each(['', '-a', 'a-', 'Submit', 'submit_job', 'a.b', 'a b', 'ä', 'a\n'])(
  '%p is no label of either kind',
  (name) => {
    expect(dns1035LabelError(name)).toContain('lower-case letters');
    expect(dns1123LabelError(name)).toContain('lower-case letters');
  },
);

test('a limit is named with the length found', () => {
  expect(dns1035LabelError('a'.repeat(64))).toBe('a name here has at most 63 characters, this one has 64');
  expect(dns1035LabelError('a'.repeat(42), 41)).toBe(
    'a name here has at most 41 characters, this one has 42',
  );
  expect(dns1123SubdomainError('a'.repeat(254))).toBe(
    'a name here has at most 253 characters, this one has 254',
  );
});

test('a subdomain joins labels with dots', () => {
  expect(dns1123SubdomainError('dranet.networking.gke.io')).toBeUndefined();
  for (const name of ['.a', 'a.', 'a..b', 'a.-b', ''])
    expect(dns1123SubdomainError(name)).toContain('each part');
});
