import { MIN_LENGTH } from "./redact.ts";

/** The values worth hiding of an environment: at least 8 characters, under a name that looks secret. */
export function secretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = new Set<string>();
  for (const name of Object.keys(env)) {
    if (!mayBeSecretName(name)) continue;
    const value = env[name]?.trim() ?? "";
    if (value.length >= MIN_LENGTH && isSecretName(name, value) && !PLACE.test(value)) values.add(value);
  }
  return [...values];
}

const SECRET_NAME =
  /(?:^|_)(?:TOKEN|SECRETS?|PASS|PASSWORD|PASSWD|PASSPHRASE|APIKEY|(?:API|PRIVATE|ACCESS|ENCRYPTION|SIGNING|MASTER|SECRET)_KEY|CREDENTIALS?|AUTH)(?:_|$)|_(?:PAT|PWD)$/;
const SETTING_NAME =
  /_(?:PATH|DIR|FILE|SOCK|SOCKET|ENDPOINT|HOST|PORT|LIMIT|COUNT|TTL|NAME|ID|TYPE|MODE|METHOD|PROVIDER|HEADER|EXPIRY|EXPIRES|EXPIRATION|TIMEOUT|LENGTH|SIZE|BUDGET|VERSION|REGION|ENABLED|DISABLED|HELPER|COMMAND|CMD|SCOPES?|USER|USERNAME|EMAIL|ALGORITHM|PREFIX|FD)$/;
/** GOOGLE_APPLICATION_CREDENTIALS and its like name a file. */
const PLACE = /^(?:~|\/(?:home|Users|root|tmp|var|etc|run|usr|opt|mnt|private|secrets?|srv)|[A-Za-z]:)[\\/]/;

/** Most names are told apart by their letters alone, before their value is even read. */
function mayBeSecretName(name: string): boolean {
  const letters = name.toUpperCase();
  return PARTS.some((part) => letters.includes(part));
}

const PARTS = ["TOK", "SEC", "PAS", "KEY", "CRE", "AUT", "PAT", "PWD"];

function isSecretName(name: string, value: string): boolean {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();
  if (!SECRET_NAME.test(words) || SETTING_NAME.test(words)) return false;
  return !/_UR[IL]$/.test(words) || /:\/\/[^/@]*@/.test(value);
}
