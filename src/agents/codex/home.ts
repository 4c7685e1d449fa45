type Environment = Readonly<Record<string, string | undefined>>;

/** The folder in which the user's Codex keeps its files. */
export function codexHome({ CODEX_HOME, HOME }: Environment): string {
  return CODEX_HOME || `${HOME ?? ""}/.codex`;
}

/** The folder of its rollouts. */
export function rolloutFolder(env: Environment): string {
  return `${codexHome(env)}/sessions`;
}

/** The database with its conversations, which it makes when it is used first. */
export function databases(env: Environment): { readonly folder: string; readonly name: string } {
  return { folder: codexHome(env), name: String.raw`^state_\d+\.sqlite$` };
}

/** The socket of the server that Codex shares among its terminals, and leaves running. */
export function sockets(env: Environment): readonly string[] {
  return [`${codexHome(env)}/app-server-control/app-server-control.sock`];
}

/** Codex itself lets one process at a time into a conversation. */
export function lockOf(env: Environment, nativeId: string): string {
  return `${codexHome(env)}/thread-writer-locks/${nativeId}.lock`;
}
