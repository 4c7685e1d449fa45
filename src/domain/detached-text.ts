/**
 * The same text as one of its own. The engine keeps the whole of a text alive as long as a part that was cut out of it: what
 * stays for long must not hold on to what it came from.
 */
export function detachedText(text: string): string {
  return ` ${text}`.slice(1);
}
