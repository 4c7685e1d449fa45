/** The folder of its settings, transcripts and live files, for a user with this environment. */
export function configFolder(env: Readonly<Record<string, string | undefined>>): string {
  return env.CLAUDE_CONFIG_DIR || `${env.HOME ?? ""}/.claude`;
}
