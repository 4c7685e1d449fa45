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

/** The folder with a folder of transcripts for each place of work. */
export function transcriptsFolder(env: Environment): string {
  return `${configFolder(env)}/projects`;
}

/** Whether a path below that folder is the transcript of this conversation. */
export function isNamedFor(path: string, nativeId: string): boolean {
  const [, name, ...deeper] = path.split("/");
  return name === `${nativeId}.jsonl` && deeper.length === 0;
}

/** All folders with transcripts: the variable may list several, and releases before had another default. */
export function historyFolders(env: Environment): readonly string[] {
  const named = (env.CLAUDE_CONFIG_DIR ?? "").split(",").filter((folder) => folder.trim() !== "");
  const home = env.HOME ? [`${env.HOME}/.claude`, `${env.HOME}/.config/claude`] : [];
  return (named.length > 0 ? named : home).map((folder) => `${folder.trim()}/projects`);
}
