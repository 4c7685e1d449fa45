import { RollcallError } from "../../domain/errors.ts";

/** The options whose value is a word of its own. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  ...["-c", "--config", "--enable", "--disable", "-i", "--image", "-m", "--model", "--local-provider"],
  ...["-p", "--profile", "-s", "--sandbox", "--add-dir", "-a", "--ask-for-approval"],
]);

/** Options that would hide the conversation, or its folder, from Rollcall. */
const REFUSED: Readonly<Record<string, string>> = {
  "-C": "Choose its folder with --cwd.",
  "--cd": "Choose its folder with --cwd.",
  "--remote": "Rollcall runs it on this machine.",
  "--worktree": "Choose a worktree with --worktree before the `--`.",
};

/** Options only: a word would be a command of Codex, or a prompt that every resume says again. */
export function checkArguments(args: readonly string[]): void {
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as string;
    const option = arg.replace(/=.*$/s, "");
    if (Object.hasOwn(REFUSED, option))
      throw refused(`Codex cannot be given ${option} here.`, REFUSED[option]);
    if (!arg.startsWith("-") || arg === "-" || arg === "--")
      throw refused(
        `Codex cannot be given the word ${JSON.stringify(shortened(arg))} here.`,
        "Only options of Codex go behind `--`; a first text is given with --prompt, a session is taken up by `rollcall resume`.",
      );
    if (WITH_VALUE.has(arg)) index += 1;
  }
}

function refused(message: string, hint: string | undefined): RollcallError {
  return new RollcallError("bad_usage", message, hint === undefined ? {} : { hint });
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
