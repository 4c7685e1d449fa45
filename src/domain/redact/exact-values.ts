/** Values to hide, or how to find them when the first text is looked at. */
export type Secrets = readonly string[] | (() => readonly string[]);

/** Shorter values would hide ordinary words. */
export const MIN_LENGTH = 8;
/** So much of the beginning of a value is hidden like the whole. */
const LONG_PART = 0.6;

export interface ExactValues {
  /** Every written form of every value, the longest first. */
  readonly forms: readonly string[];
  /** How each form begins, so far that it is hidden even where the rest does not follow. */
  readonly heads: RegExp;
}

export function exactValues(secrets: Secrets): () => ExactValues | undefined {
  let built: { readonly values: ExactValues | undefined } | undefined;
  return () => {
    built ??= { values: buildExactValues(typeof secrets === "function" ? secrets() : secrets) };
    return built.values;
  };
}

function buildExactValues(secrets: readonly string[]): ExactValues | undefined {
  const known = secrets.filter((secret) => secret.length >= MIN_LENGTH);
  if (known.length === 0) return undefined;
  const forms = [...new Set(known.flatMap(writtenForms))].sort((a, b) => b.length - a.length);
  const heads = forms.map((form) => form.slice(0, headLength(form)));
  const literals = heads.map((head) => head.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  return { forms, heads: new RegExp(literals.join("|"), "g") };
}

/**
 * A line that is drawn again at each key shows a secret letter by letter. The word that it begins with stays readable,
 * and so does the host of an address.
 */
function headLength(form: string): number {
  const open = form.includes("://") ? form.lastIndexOf("/") + 1 : 0;
  const word = /^[A-Za-z]*[^A-Za-z0-9]*/.exec(form)?.[0].length ?? 0;
  const least = Math.max(MIN_LENGTH, open + Math.ceil((form.length - open) * LONG_PART), word + 1);
  return Math.min(form.length, least);
}

/** Calls `hide` for each value in the text, or for so much of its beginning as is there, and puts in what that returns. */
export function replaceValues(
  text: string,
  { forms, heads }: ExactValues,
  hide: (start: number, end: number) => string,
): string {
  let result = "";
  let done = 0;
  heads.lastIndex = 0;
  for (let match = heads.exec(text); match !== null; match = heads.exec(text)) {
    const start = match.index;
    const lengths = forms.map((form) => sharedLength(form, text, start));
    const end = start + lengths.reduce((a, b) => Math.max(a, b), match[0].length);
    result += text.slice(done, start) + hide(start, end);
    done = end;
    heads.lastIndex = end;
  }
  return done === 0 ? text : result + text.slice(done);
}

function sharedLength(form: string, text: string, start: number): number {
  let length = 0;
  while (length < form.length && form[length] === text[start + length]) length++;
  return length;
}

function writtenForms(secret: string): string[] {
  const json = (text: string): string => JSON.stringify(text).slice(1, -1);
  const url = encodeURIComponent(secret.toWellFormed());
  const forms = [secret, json(secret), json(json(secret)), url, url.replaceAll("%20", "+")];
  // A terminal writes a line feed as carriage return and line feed.
  return [...forms, secret.replace(/\r?\n/g, "\r\n")];
}

export function openValue(text: string, forms: readonly string[]): number {
  let open = text.length;
  for (const form of forms) {
    const first = form[0] as string;
    let at = text.indexOf(first, Math.max(0, text.length - form.length + 1));
    while (at >= 0 && at < open) {
      if (form.startsWith(text.slice(at))) open = at;
      at = text.indexOf(first, at + 1);
    }
  }
  return open;
}
