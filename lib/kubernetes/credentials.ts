/** Parts of an environment variable's name that say its value is a credential. */
const CREDENTIAL_NAME =
  /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?)(_|$)/i;

/** Names that look like credentials but hold a path or a switch. */
const NOT_A_CREDENTIAL = /(_PATH|_FILE|_DIR|_NAME|_MODE)$/i;

/** Values that are credentials whatever they are called: tokens of well-known forms and URLs with a password. */
const CREDENTIAL_VALUES: readonly { readonly form: RegExp; readonly what: string }[] = [
  { form: /\bhf_[A-Za-z0-9]{20,}\b/, what: 'a Hugging Face token' },
  { form: /\bgh[pousr]_[A-Za-z0-9]{30,}\b/, what: 'a GitHub token' },
  { form: /\bglpat-[A-Za-z0-9_-]{18,}\b/, what: 'a GitLab token' },
  { form: /\bya29\.[A-Za-z0-9_-]{20,}/, what: 'a Google access token' },
  { form: /\bAIza[A-Za-z0-9_-]{30,}\b/, what: 'a Google API key' },
  { form: /\bsk-[A-Za-z0-9_-]{20,}\b/, what: 'an API key' },
  { form: /-----BEGIN [A-Z ]*PRIVATE KEY-----/, what: 'a private key' },
  { form: /:\/\/[^/\s:@]+:[^/\s@]+@/, what: 'a URL with a password' },
];

/** True when a variable of this name must come from a Secret. */
export function isCredentialName(name: string): boolean {
  return CREDENTIAL_NAME.test(name) && !NOT_A_CREDENTIAL.test(name);
}

/** What kind of credential a text contains, or undefined when it contains none that can be told. */
export function credentialIn(text: string): string | undefined {
  return CREDENTIAL_VALUES.find(({ form }) => form.test(text))?.what;
}
