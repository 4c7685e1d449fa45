export interface FoundSecret {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** Stands for a character of a value already found: no shape takes it in, and one may begin after it. */
export const HIDDEN_VALUE = "\uFFFE";
/** The same for a shape already found, but nothing begins after it: a second pass finds what the first did. */
export const HIDDEN_SHAPE = "\uFFFF";

/** The longest secret of a shape, private key blocks aside, and the longest text that introduces one. */
export const LONGEST_SHAPE = 4096;
export const LONGEST_CONTEXT = 160;
const LONGEST_KEY_BLOCK = 16_000;

interface TokenShape {
  readonly kind: string;
  /** How it begins, letter for letter. */
  readonly heads: readonly string[];
  readonly body: string;
}

const END = "(?![A-Za-z0-9])";

/** A line that is drawn again at each key shows a token letter by letter: from about half of it on it is hidden. */
export const TOKEN_SHAPES: readonly TokenShape[] = [
  { kind: "anthropic", heads: ["sk-ant-"], body: "[\\w-]{20,300}" },
  { kind: "openai", heads: ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-"], body: "[\\w-]{20,300}" },
  { kind: "openai", heads: ["sk-"], body: "(?=[A-Za-z]{0,40}\\d)[A-Za-z0-9]{20,200}" },
  {
    kind: "model-provider",
    heads: ["gsk_", "xai-", "pplx-", "r8_"],
    body: "(?:[A-Za-z0-9]{36,200}|(?=[A-Za-z]{0,35}\\d)[A-Za-z0-9]{20,35})",
  },
  {
    kind: "github",
    heads: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    body: "[\\w-]{20,600}(?:\\.[\\w-]{10,1500}){0,2}",
  },
  { kind: "github", heads: ["github_pat_"], body: "\\w{22,255}" },
  {
    kind: "gitlab",
    heads: ["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-"],
    body: "[\\w-]{20,300}(?:\\.\\w{2,20}){0,2}",
  },
  {
    kind: "aws-key-id",
    heads: ["AKIA", "ASIA"],
    body: `(?:[A-Z0-9]{16}|(?=[A-Z]{0,15}\\d)[A-Z0-9]{12,15})${END}`,
  },
  { kind: "google", heads: ["AIza"], body: "[\\w-]{20,35}(?![\\w-])" },
  { kind: "google", heads: ["ya29."], body: "[\\w.-]{20,2000}" },
  { kind: "google", heads: ["GOCSPX-"], body: "[\\w-]{20,100}" },
  { kind: "slack", heads: ["xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-"], body: "[\\w-]{10,300}" },
  { kind: "slack", heads: ["xapp-"], body: "\\d-[\\w-]{20,300}" },
  { kind: "slack", heads: ["hooks.slack.com/services/"], body: "\\w{6,20}/\\w{6,20}/\\w{16,60}" },
  { kind: "stripe", heads: ["sk_live_", "sk_test_", "rk_live_", "rk_test_"], body: "[A-Za-z0-9]{16,250}" },
  { kind: "stripe", heads: ["whsec_"], body: "[A-Za-z0-9+/]{24,100}" },
  { kind: "npm", heads: ["npm_"], body: `(?:[A-Za-z0-9]{36}|(?=[A-Za-z]{0,35}\\d)[A-Za-z0-9]{20,35})${END}` },
  { kind: "pypi", heads: ["pypi-AgE"], body: "[\\w-]{20,1000}" },
  {
    kind: "hugging-face",
    heads: ["hf_"],
    body: "(?:[A-Za-z0-9]{30,60}|(?=[A-Za-z]{0,29}\\d)[A-Za-z0-9]{20,29})",
  },
  { kind: "docker", heads: ["dckr_pat_"], body: "[\\w-]{20,100}" },
  { kind: "vault", heads: ["hvs."], body: "[\\w-]{24,300}" },
  { kind: "sendgrid", heads: ["SG."], body: "[\\w-]{16,32}\\.[\\w-]{16,64}" },
  { kind: "twilio", heads: [..."0123456789abcdef"].map((digit) => `SK${digit}`), body: `[0-9a-f]{31}${END}` },
  { kind: "digitalocean", heads: ["dop_v1_", "doo_v1_", "dor_v1_"], body: "[a-f0-9]{32,64}" },
  { kind: "jwt", heads: ["eyJ"], body: "[\\w-]{8,500}\\.eyJ[\\w-]{8,2800}\\.[\\w-]{10,700}" },
];

export const KEY_BLOCK_HEAD = "-----BEGIN ";
const KEY_BLOCK_NAME = "[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----";
// Wide enough for armour headers, quotes of source code and `\n` of JSON; five dashes end it.
export const KEY_BLOCK_BODY = `(?:[A-Za-z0-9+/=\\s\\\\:;,."'()@<>${HIDDEN_VALUE}]|-(?!----)){0,${LONGEST_KEY_BLOCK}}`;
export const KEY_BLOCK =
  `${KEY_BLOCK_NAME}(?:${KEY_BLOCK_BODY}-----END ${KEY_BLOCK_NAME}` +
  // One that was cut short still shows the key.
  `|(?=[\\s\\\\nr"'+]{0,40}[A-Za-z0-9+/]{40})[A-Za-z0-9+/=\\s\\\\"']{40,${LONGEST_KEY_BLOCK}})`;

// After a letter a token is part of a longer word, unless that letter ends an escape of JSON or of a URL,
// or the dash is the mark of a removed line.
export const BORDER = `(?:(?<![\\w${HIDDEN_SHAPE}-])|(?<=\\\\[nrtbf]|\\\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|(?:^|\\n)-))`;

export interface IntroducedShape {
  readonly kind: string;
  /** The text before the secret, which stays readable: as far as it is looked back at, and its end. */
  readonly before: string;
  readonly secret: string;
  /** Whether a value of this form is worth hiding, so that prose and code stay readable; `looksRandom` unless told. */
  readonly accepts?: (secret: string, before: string) => boolean;
}

const QUOTE = "\\\\{0,3}[\"'`]";
const UNQUOTED = `[\\w+/!@#^*~%.-]{8,2048}={0,2}(?![\\w${HIDDEN_SHAPE}+/!@#^*~%.=$([{-]|:[\\w${HIDDEN_SHAPE}])`;
const NAME = anyCase(
  "(?:(?:api|access|private|encryption|signing|secret)[_-]?key|secret(?:[_-]?key[_-]?base)?" +
    "|passw(?:or)?d|passphrase|pwd|token|credentials?)",
);

/** An assignment to a name. It begins at the sign, which is rarer than the letters of names and so found faster. */
function assignedTo(name: string): string {
  const sign = "(?:[:=]|%3[dD])";
  return `${sign}(?<=${name}["'\`\\\\\\] \\t]{0,7}(?:: ?string ?)?${sign})[=>]{0,2}[ \\t]{0,3}`;
}

const URL_USER = "://[^\\s:@/\"'`<>\\\\]{0,128}:";
const URL_PASSWORD = `[^\\s@/"'\`<>\\\\\\[\\]${HIDDEN_VALUE}${HIDDEN_SHAPE}]{1,256}(?=@)`;

/** The beginning of every introduction: tells most texts apart at once. */
export const INTRODUCTION =
  `${assignedTo(anyCase("(?:authorization|key|base|secret|passw(?:or)?d|passphrase|pwd|token|credentials?)"))}` +
  `|${URL_USER}${URL_PASSWORD}|:AA|\\.[\\w-]{6}\\.|--[a-z]|${anyCase("bearer")}[ \\t]`;

/** In the order of preference. */
export const INTRODUCED_SHAPES: readonly IntroducedShape[] = [
  {
    kind: "authorization",
    before: `${assignedTo(anyCase("authorization"))}(?:${QUOTE})?${anyCase("(?:bearer|basic|token|digest)")}[ \\t]{1,3}`,
    secret: "[\\w.~+/-]{8,4000}={0,2}",
  },
  { kind: "authorization", before: `${anyCase("bearer")}[ \\t]{1,3}`, secret: "[\\w.~+/-]{20,4000}={0,2}" },
  {
    kind: "aws-secret",
    before: `${assignedTo(anyCase("secret_?access_?key"))}(?:${QUOTE})?`,
    secret: "[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])",
  },
  {
    kind: "azure",
    before: `=(?<=${anyCase("(?:account|sharedaccess)key")}=)`,
    secret: "[A-Za-z0-9+/]{40,100}={0,2}",
  },
  {
    kind: "url-password",
    before: URL_USER,
    secret: URL_PASSWORD,
    accepts: (secret) => !/^[${*]/.test(secret),
  },
  { kind: "telegram", before: `:(?<=(?<![\\w${HIDDEN_SHAPE}])\\d{8,10}:)`, secret: `AA[\\w-]{33}${END}` },
  {
    kind: "discord",
    before: `\\.(?<=(?<![\\w${HIDDEN_SHAPE}-])[MNO][\\w-]{23,27}\\.)[\\w-]{6}\\.`,
    secret: "[\\w-]{27,40}",
  },
  {
    kind: "assignment",
    before: `${assignedTo(NAME)}${QUOTE}`,
    secret: `[^\\s"'\`\\\\<>\\[\\]${HIDDEN_VALUE}${HIDDEN_SHAPE}]{8,2048}(?=["'\`\\\\])`,
    accepts: isAssignedSecret,
  },
  {
    kind: "assignment",
    before: assignedTo(NAME),
    secret: UNQUOTED,
    accepts: (secret, before) => isAssignedSecret(secret) && (before === "=" || !isIdentifier(secret)),
  },
  {
    kind: "flag",
    before: `--(?<![\\w${HIDDEN_SHAPE}-]--)[a-z-]{0,30}(?:password|token|api-key|secret|passphrase) `,
    secret: UNQUOTED,
    accepts: (secret) => isAssignedSecret(secret) && !isIdentifier(secret),
  },
];

export function looksRandom(secret: string): boolean {
  return /\d/.test(secret) || /[a-z][A-Z]/.test(secret);
}

function isAssignedSecret(secret: string): boolean {
  return /\d/.test(secret) && /[A-Za-z]/.test(secret) && !NO_SECRETS.some((pattern) => pattern.test(secret));
}

const NO_SECRETS: readonly RegExp[] = [
  /^[${(%]|\$\{|\{\{|\(|\/\*/, // a variable, a template, a call or a comment
  /^\d{4}-\d\d-\d\d/, // a date
  /^(?:(?:~|\.{1,2})?\/[\w.@-]*(?:\/|$)|[A-Za-z]:\\|\w+:\/\/)/, // a path or an address
  /^[A-Za-z_$][\w$]{0,40}(?:\.[A-Za-z_$][\w$]{0,40}){1,8}$/, // a property
];

const isIdentifier = (text: string): boolean => /^[A-Za-z_]+\d+[A-Za-z_]*$/.test(text);

/** The pattern for its letters in either case: the flag would make the wide classes of values slow to build. */
function anyCase(pattern: string): string {
  return pattern.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}
