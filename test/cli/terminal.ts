import { spawn } from "node:child_process";
import { once } from "node:events";
import { LAUNCHER, type User } from "./rollcall.ts";

export interface TerminalOptions {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What is typed once a text is on the screen. */
  readonly typed?: readonly (readonly [onceShown: string, keys: string])[];
}

export interface Screen {
  readonly code: number | null;
  /** Every byte that reached the terminal. */
  readonly raw: string;
  /** The lines that stay on the screen, without colours. */
  readonly lines: readonly string[];
}

/** Runs the command line at a real terminal, a PTY of `script`. */
export async function atTerminal(
  user: Pick<User, "env" | "workspace">,
  args: readonly string[],
  { columns = 120, env = {}, typed = [] }: TerminalOptions = {},
): Promise<Screen> {
  const call = [process.execPath, LAUNCHER, ...args].map(quoted).join(" ");
  const child = spawn("script", ["-qec", `stty cols ${columns} rows 40; exec ${call}`, "/dev/null"], {
    cwd: user.workspace,
    env: { ...user.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let raw = "";
  const left = [...typed];
  child.stdout.on("data", (data: Buffer) => {
    raw += data.toString();
    const next = left[0];
    if (next && raw.includes(next[0])) {
      left.shift();
      child.stdin.write(next[1]);
    }
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, raw, lines: linesOf(raw) };
}

/** What a progress bar has written goes when the cursor returns to the beginning of its line. */
function linesOf(raw: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what it looks for.
  const plain = raw.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "");
  const lines = plain.replaceAll("\r\n", "\n").split("\n").slice(0, -1);
  return lines.map((line) => line.slice(line.lastIndexOf("\r") + 1));
}

export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
