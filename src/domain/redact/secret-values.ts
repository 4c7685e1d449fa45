import { isCommonWord } from "./common-word.ts";
import { MIN_LENGTH } from "./exact-values.ts";
import { looksRandom } from "./secret-shapes.ts";

/** The values worth hiding of an environment: at least 8 characters, under a name that looks secret. */
export function secretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = new Set<string>();
  for (const name of Object.keys(env)) {
    if (!mayBeSecretName(name)) continue;
    const value = env[name]?.trim() ?? "";
    if (isWorthHiding(value) && isSecretName(name, value) && !PLACE.test(value)) values.add(value);
  }
  return [...values];
}

/** Whether a value is hidden in whatever variable it stands. */
export function isWorthHiding(value: string): boolean {
  return value.length >= MIN_LENGTH && !isCommonWord(value);
}

/** Also with another word before it and nothing between: PGPASSWORD, SSHPASS, CLIENTSECRET, ACCESSTOKEN. */
const SECRET_NAME =
  /(?:^|_)(?:[A-Z0-9]*(?:TOKEN|SECRETS?|SECRETKEY|PASSWORD|PASSWD|PASSPHRASE|APIKEY|COOKIES?)|(?!BYPASS|(?:EN)?COMPASS|TRESPASS|SURPASS|UNDERPASS|OVERPASS)[A-Z0-9]*PASS|(?:API|PRIVATE|ACCESS|ENCRYPTION|SIGNING|MASTER|SECRET)_KEY|CRED(?:ENTIAL)?S?|AUTH|JWT|BEARER)(?:_|$)|_(?:PAT|PWD)$/;
/** OPENAI_KEY, STRIPEKEY and the like, where the value is no mere word. */
const KEY_NAME = /KEY$/;
const OPEN_KEY_NAME =
  /(?:^|_)(?:PUB|PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|SORT|PARTITION|ROUTING|CACHE|HASH|INDEX|ORDER|GROUP|HOT|DETACH|PREFIX|MODIFIER)_?KEY$/;
/** The address alone allows anyone to post there. */
const HOOK_NAME = /(?:^|_)WEBHOOKS?(?:_UR[IL])?$/;
const SETTING_NAME =
  /_(?:PATH|DIR|FILE|SOCK|SOCKET|ENDPOINT|HOST|PORT|LIMIT|COUNT|TTL|NAME|ID|TYPE|MODE|METHOD|PROVIDER|HEADER|EXPIRY|EXPIRES|EXPIRATION|TIMEOUT|LENGTH|SIZE|BUDGET|VERSION|REGION|ENABLED|DISABLED|HELPER|COMMAND|CMD|SCOPES?|DOMAIN|SECURE|SAMESITE|USER|USERNAME|EMAIL|ALGORITHM|PREFIX|FD)$/;
/** GOOGLE_APPLICATION_CREDENTIALS and its like name a file. */
const PLACE = /^(?:~|\/(?:home|Users|root|tmp|var|etc|run|usr|opt|mnt|private|secrets?|srv)|[A-Za-z]:)[\\/]/;

/** Most names are told apart by their letters alone, before their value is even read. */
function mayBeSecretName(name: string): boolean {
  const letters = name.toUpperCase();
  return PARTS.some((part) => letters.includes(part));
}

const PARTS = ["TOK", "SEC", "PAS", "KEY", "CRE", "AUT", "PAT", "PWD", "COOK", "WEBHOOK", "JWT", "BEARER"];

function isSecretName(name: string, value: string): boolean {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();
  if (HOOK_NAME.test(words)) return value.includes("://");
  if (KEY_NAME.test(words) && !OPEN_KEY_NAME.test(words) && looksRandom(value)) return true;
  if (!SECRET_NAME.test(words) || SETTING_NAME.test(words)) return false;
  return !/_UR[IL]$/.test(words) || /:\/\/[^/@]*@/.test(value);
}
