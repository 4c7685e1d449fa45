import type { Lab } from "./lab.ts";
import type { Kind } from "./moments.ts";
import type { ProgramName } from "./programs.ts";
import type { Watched } from "./watched.ts";

const UNASKED: Readonly<Record<ProgramName, string[]>> = {
  claude: ["--", "--allowedTools", "Bash"],
  codex: [],
  gemini: ["--", "--approval-mode", "yolo"],
  opencode: [],
};

/** Arguments with which the program runs a tool without asking for it. */
export function unasked(program: ProgramName): string[] {
  return UNASKED[program];
}

/** A session that is given this text as its first: typed at its prompt, or as the goal of one that works alone. */
export async function begin(
  lab: Lab,
  kind: Kind,
  text: string,
  ...args: readonly string[]
): Promise<Watched> {
  if (kind === "autonomous") return lab.start(kind, text, ...args);
  const session = await lab.start(kind, ...args);
  await lab.ok(["wait", session.id, "--until", "waiting_input", "--timeout", "60s"]);
  await session.send(text);
  return session;
}
