import { credentialIn, isCredentialName } from '../../lib/kubernetes/credentials';

const TOKEN_BODY = 'a1B2'.repeat(10);

test.each([
  'HF_TOKEN',
  'hf_token',
  'TOKEN',
  'GITHUB_TOKEN',
  'DB_PASSWORD',
  'API_KEY',
  'WANDB_API_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'CLIENT_SECRET',
  'PRIVATE_KEY',
  'GOOGLE_CREDENTIALS',
])('field report 11: %s is the name of a credential', (name) => {
  expect(isCredentialName(name)).toBe(true);
});

test.each([
  'TOKENIZERS_PARALLELISM',
  'MAX_TOKENS',
  'TOKENIZER_PATH',
  'HF_TOKEN_PATH',
  'TOKEN_FILE',
  'SECRET_NAME',
  'KEYBOARD',
  'HF_HOME',
  'GOOGLE_APPLICATION_CREDENTIALS_FILE',
])('%s is not', (name) => {
  expect(isCredentialName(name)).toBe(false);
});

test.each([
  [`hf_${TOKEN_BODY}`, 'a Hugging Face token'],
  [`ghp_${TOKEN_BODY}`, 'a GitHub token'],
  [`glpat-${TOKEN_BODY}`, 'a GitLab token'],
  [`ya29.${TOKEN_BODY}`, 'a Google access token'],
  [`AIza${TOKEN_BODY}`, 'a Google API key'],
  [`sk-${TOKEN_BODY}`, 'an API key'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMII', 'a private key'],
  ['-----BEGIN PRIVATE KEY-----', 'a private key'],
  ['https://user:secret@host/path', 'a URL with a password'],
])('field report 11: a text with a credential is told', (text, what) => {
  expect(credentialIn(text)).toBe(what);
  expect(credentialIn(`--option=${text}`)).toBe(what);
});

test.each([
  '',
  'hf_short',
  'https://host:8080/path',
  'https://user@host/',
  'gs://bucket/a:b@c',
  'sk-short',
  'llama3-8b',
  '/data/hf_cache',
])("'%s' holds none", (text) => {
  expect(credentialIn(text)).toBeUndefined();
});
