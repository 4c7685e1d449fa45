type Environment = Readonly<Record<string, string | undefined>>;

/** The folder with a folder for each project, in which it keeps its conversations. */
export function projectsFolder({ GEMINI_CLI_HOME, HOME }: Environment): string {
  return `${GEMINI_CLI_HOME || (HOME ?? "")}/.gemini/tmp`;
}

/** `<project>/chats/session-<minute>-<first 8 of the id>.jsonl`, below the folder of the projects. */
const CHAT = /^[^/]+\/chats\/session-[\dT-]+-([\da-f]{8})\.jsonl$/;

/** Whether a path below that folder may be of this conversation; the first line of the file decides. */
export function isNamedFor(path: string, nativeId: string): boolean {
  return CHAT.exec(path)?.[1] === nativeId.slice(0, 8);
}

/**
 * A name under which `session/load` finds a conversation. It first begins a file with the present minute in its name: in
 * one that has this name already, a new head would hide all that stands above it.
 */
export function resumableName(path: string): string {
  return path.replace(/(T\d\d-\d\d)-([\da-f]{8}\.jsonl)$/, "$1-00-$2");
}

/** The file in the folder of a project that names the project's own folder. Older releases wrote none. */
export function projectNoteOf(path: string): string | undefined {
  const [, project] = /^(.*)\/chats\//.exec(path) ?? [];
  return project && `${project}/.project_root`;
}
