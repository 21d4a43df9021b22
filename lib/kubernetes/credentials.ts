/** Values that are credentials whatever they are called: tokens of well-known forms and URLs with a password. */
const CREDENTIAL_VALUES: readonly { readonly form: RegExp; readonly what: string }[] = [
  { form: /\bhf_[A-Za-z0-9]{20,}\b/, what: 'a Hugging Face token' },
  { form: /\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,})\b/, what: 'a GitHub token' },
  { form: /\bgl(?:pat|ptt|dt|rt)-[A-Za-z0-9_-]{18,}\b/, what: 'a GitLab token' },
  { form: /\bya29\.[A-Za-z0-9_-]{20,}/, what: 'a Google access token' },
  { form: /\bAIza[A-Za-z0-9_-]{30,}\b/, what: 'a Google API key' },
  { form: /\bGOCSPX-[A-Za-z0-9_-]{20,}\b/, what: 'a Google client secret' },
  { form: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/, what: 'an AWS access key' },
  { form: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/, what: 'a Slack token' },
  {
    form: /hooks\.slack\.com\/services\/T[A-Za-z0-9]+\/B[A-Za-z0-9]+\/[A-Za-z0-9]+/,
    what: 'a Slack webhook',
  },
  { form: /\bnpm_[A-Za-z0-9]{30,}\b/, what: 'an npm token' },
  { form: /\bpypi-[A-Za-z0-9_-]{50,}/, what: 'a PyPI token' },
  { form: /\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}/, what: 'a Docker token' },
  { form: /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/, what: 'a SendGrid key' },
  { form: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}\b/, what: 'a Stripe key' },
  { form: /\bsk-[A-Za-z0-9_-]{20,}\b/, what: 'an API key' },
  { form: /\bAGE-SECRET-KEY-1[A-Z0-9]{20,}/, what: 'an age key' },
  { form: /\bAccountKey=[A-Za-z0-9+/=]{20,}/, what: 'an Azure storage key' },
  { form: /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/, what: 'a JSON web token' },
  { form: /\bBearer +[A-Za-z0-9._~+/-]{12,}=*/i, what: 'a bearer token' },
  { form: /\bBasic +[A-Za-z0-9+/]{12,}=*(?![A-Za-z0-9+/ ])/, what: 'a user and password' },
  { form: /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----/, what: 'a private key' },
  { form: /:\/\/[^/\s:@]*:[^/\s@]+@/, what: 'a URL with a password' },
];

/** A name whose value is a password: nothing but a switch is let through. */
const PASSWORD_NAME = /(PASSWORD|PASSWD|PASSPHRASE)(_|$)|(^|_)(PASS|PWD)$/i;

/** A name whose value may be a credential. */
const CREDENTIAL_NAME =
  /(^|_)(TOKEN|SECRET|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?)(_|$)|(^|_)[A-Z0-9]+_KEY$|(API|SECRET|ACCESS)(KEY|TOKEN)$/i;

/** Names that look like those of credentials, of what is none: places, switches, and tokens of a vocabulary. */
const NOT_A_CREDENTIAL =
  /_(PATH|FILE|DIR|NAME|MODE|LEN|LENGTH|COUNT|SIZE|TYPE|ID|IDS|URL|URI)$|(^|_)(PAD|EOS|BOS|UNK|CLS|SEP|MASK|STOP|END|START|IMAGE|MAX|MIN|NUM|NEW)_TOKEN(_|$)|(^|_)(SORT|PRIMARY|FOREIGN|PARTITION|CACHE|ROUTING|DATA|FEATURE|INPUT|OUTPUT|LABEL|TEXT|DICT)_KEY$/i;

/** `PWD` and `OLDPWD` are the shell's working directory. */
const WORKING_DIRECTORY = /^(OLD)?PWD$/;

/** Values that tell nothing: switches, and references that the kubelet or a shell expands. */
const SWITCH = /^(|true|false|yes|no|on|off|none|null|\$\([A-Za-z_]\w*\)|\$\{?[A-Za-z_]\w*\}?)$/i;

/** Values that are no credential under any name but a password's: numbers, paths, words of a vocabulary such as `<pad>` or `[SEP]`. */
const PLAIN = /^(-?[0-9][0-9_]{0,11}(\.[0-9]+)?|[<[][^\s]{1,40}[>\]])$/;
const PATH = /^(?:gs:\/|~|\.{1,2})?(?:\/[\w.@-]{1,64})+\/?$/;

/** True when a variable of this name is expected to carry a credential. */
export function isCredentialName(name: string): boolean {
  if (WORKING_DIRECTORY.test(name)) return false;
  return PASSWORD_NAME.test(name)
    ? !/_(PATH|FILE|DIR|NAME)$/i.test(name)
    : CREDENTIAL_NAME.test(name) && !NOT_A_CREDENTIAL.test(name);
}

/** What kind of credential a text contains, or undefined when it contains none that can be told. */
export function credentialIn(text: string): string | undefined {
  return CREDENTIAL_VALUES.find(({ form }) => form.test(text))?.what;
}

/**
 * What kind of credential a variable or option carries, or undefined. Its value is judged first: one of a well-known form is a credential
 * under any name, and a switch, number or path is none under most.
 */
export function credentialOf(name: string, value: string): string | undefined {
  const form = credentialIn(value);
  if (form !== undefined) return form;
  if (!isCredentialName(name) || SWITCH.test(value)) return undefined;
  if (!PASSWORD_NAME.test(name) && (PLAIN.test(value) || isPath(value))) return undefined;
  return 'what looks like a credential';
}

/** A path, and not base64 that happens to begin with a slash. */
function isPath(value: string): boolean {
  return PATH.test(value) && (/[.~]|^gs:|.\/./.test(value) || value.length <= 24);
}
