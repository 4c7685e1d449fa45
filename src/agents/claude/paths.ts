type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of its settings, transcripts and live files, for a user with this environment. */
export function configFolder(env: Environment): string {
  return env.CLAUDE_CONFIG_DIR || `${env.HOME ?? ""}/.claude`;
}

/** Without a home nobody knows where it writes. */
export function hasConfigFolder(env: Environment): boolean {
  return Boolean(env.CLAUDE_CONFIG_DIR || env.HOME);
}

/** The transcript of a conversation that began in this folder. */
export function transcriptPath(config: string, cwd: string, nativeId: string): string {
  return `${config}/projects/${cwd.replace(/[^A-Za-z0-9]/gu, "-")}/${nativeId}.jsonl`;
}
