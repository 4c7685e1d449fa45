/** Settings that a session gets beside the user's own, with hooks that call our script. */
export function settingsWith(hookScript: string, events: readonly string[]): string {
  const hooks = Object.fromEntries(
    events.map((event) => [
      event,
      [{ hooks: [{ type: "command", command: `${quoted(hookScript)} ${event}`, timeout: 10 }] }],
    ]),
  );
  return JSON.stringify({ hooks }, null, 2);
}

/** As one word of `sh`. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
