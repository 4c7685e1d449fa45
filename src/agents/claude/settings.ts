/** What a session is started with beside the user's own settings, which it adds to. Few, for each holds it up. */
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
