import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { RollcallError } from "../domain/errors.ts";

/** Rollcall's own tmux server. Nobody's own server or configuration is touched. */
export interface TmuxPlace {
  /** Made for its user alone if need be. */
  readonly socketDir: string;
  /** The program; found on the path if not given. */
  readonly tmux?: string;
}

export interface TmuxTarget extends TmuxPlace {
  readonly sessionId: string;
}

export interface TmuxViewOptions extends TmuxTarget {
  /** The command of the pane; when it ends, the view is gone. */
  readonly command: readonly string[];
  /** Added to its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** For people and their formats, as the option `@rollcall_title`. */
  readonly title?: string;
  readonly cols?: number;
  readonly rows?: number;
}

export interface TmuxView {
  readonly sessionId: string;
  readonly viewers: number;
}

/** Idempotent: a view that is open stays as it is. It is open without a viewer until someone attaches. */
export async function openTmuxView(options: TmuxViewOptions): Promise<void> {
  const { socketDir, sessionId, command, env = {}, title = "", cols = 120, rows = 40 } = options;
  await makePrivate(socketDir);
  const name = nameOf(sessionId);
  const size = ["-x", String(cols), "-y", String(rows)];
  const given = Object.entries(env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
  const failure = await run(options, [
    ["start-server"],
    ...SETTINGS.map((setting) => ["set-option", ...setting]),
    ["unbind-key", "C-b"],
    ["bind-key", PREFIX, "send-prefix"],
    ["new-session", "-d", "-s", name, ...size, ...given, "--", ...withoutShell(command)],
    ["set-option", "-t", `=${name}:`, "@rollcall_session", Buffer.from(sessionId).toString("hex")],
    ["set-option", "-t", `=${name}:`, "@rollcall_title", printable(title)],
  ]);
  if (failure !== undefined && !failure.said.includes("duplicate session")) throw failed(failure);
}

/** Ends the view, and what its pane runs: for `attach` that is a detach. Idempotent. */
export async function closeTmuxView(target: TmuxTarget): Promise<void> {
  const failure = await run(target, [["kill-session", "-t", `=${nameOf(target.sessionId)}`]]);
  if (failure !== undefined && !isAbsence(failure)) throw failed(failure);
}

/** The views that are open, also those that another process has opened. */
export async function listTmuxViews(place: TmuxPlace): Promise<TmuxView[]> {
  const result = await execute(place, [
    ["list-sessions", "-F", "#{session_name} #{session_attached} #{@rollcall_session}"],
  ]);
  if ("said" in result) {
    if (isAbsence(result)) return [];
    throw failed(result);
  }
  return result.out.split("\n").flatMap((line) => {
    const [, viewers, id] = /^rc_[0-9a-f]+ (\d+) ([0-9a-f]+)$/.exec(line) ?? [];
    return id === undefined
      ? []
      : [{ sessionId: Buffer.from(id, "hex").toString(), viewers: Number(viewers) }];
  });
}

/** The command that shows the view to a person. */
export function tmuxAttachCommand(target: TmuxTarget): string[] {
  return [target.tmux ?? "tmux", ...serverOf(target), "attach-session", "-t", `=${nameOf(target.sessionId)}`];
}

/**
 * C-b is the prefix of the tmux that people may look from, and a key of Claude Code. C-q only means "go on" to a
 * terminal that stops on C-s, which none does in raw mode.
 */
const PREFIX = "C-q";

/** No status line: the agent has the whole terminal. No mouse: one turn of the wheel would begin a copy mode that swallows keys. */
const SETTINGS: readonly (readonly string[])[] = [
  ["-g", "prefix", PREFIX],
  ["-g", "status", "off"],
  ["-g", "mouse", "off"],
  ["-g", "default-terminal", "tmux-256color"],
  ["-s", "escape-time", "0"],
  ["-s", "focus-events", "on"],
  ["-g", "remain-on-exit", "off"],
  ["-g", "destroy-unattached", "off"],
  ["-g", "detach-on-destroy", "on"],
  ["-g", "allow-rename", "off"],
  ["-g", "automatic-rename", "off"],
];

/** Hex alone: tmux gives a meaning to nearly every other character. */
function nameOf(sessionId: string): string {
  return `rc_${createHash("sha256").update(sessionId).digest("hex").slice(0, 32)}`;
}

function serverOf({ socketDir }: TmuxPlace): string[] {
  return ["-S", join(socketDir, "tmux.sock"), "-f", "/dev/null"];
}

/** tmux hands a single word to a shell, and runs several as they are. */
function withoutShell(command: readonly string[]): readonly string[] {
  return command.length === 1 ? ["/bin/sh", "-c", 'exec "$0"', ...command] : command;
}

const MOST_TITLE_CHARS = 200;

function printable(title: string): string {
  return title.replace(/\p{Cc}/gu, " ").slice(0, MOST_TITLE_CHARS);
}

async function makePrivate(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const { uid, mode } = await lstat(dir);
  if (uid !== process.getuid?.())
    throw new RollcallError("bad_config", `The folder ${dir} belongs to another user.`, {
      hint: "Use a folder of your own as ROLLCALL_HOME.",
    });
  if ((mode & 0o077) !== 0) await chmod(dir, 0o700);
}

interface Failure {
  readonly said: string;
  readonly cause: unknown;
}

async function run(place: TmuxPlace, commands: readonly (readonly string[])[]): Promise<Failure | undefined> {
  const result = await execute(place, commands);
  return "said" in result ? result : undefined;
}

const TIMEOUT_MS = 10_000;
const MOST_TRIES = 5;
const execFileAsync = promisify(execFile);

async function execute(
  place: TmuxPlace,
  commands: readonly (readonly string[])[],
): Promise<{ readonly out: string } | Failure> {
  const chain = commands.flatMap((words, i) => [...(i === 0 ? [] : [";"]), ...words.map(escapeEnd)]);
  for (let tries = 1; ; tries++) {
    try {
      const options = { env: baseEnvironment(), cwd: "/", timeout: TIMEOUT_MS };
      return {
        out: (await execFileAsync(place.tmux ?? "tmux", [...serverOf(place), ...chain], options)).stdout,
      };
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") throw missing(cause);
      const said = String((cause as { stderr?: string }).stderr ?? "").trim();
      // It leaves with its last session, and may be on its way while we come.
      if (!/server exited|lost server/.test(said) || tries === MOST_TRIES) return { said, cause };
    }
  }
}

/** A word that ends in a semicolon would end the command. */
function escapeEnd(word: string): string {
  return word.endsWith(";") ? `${word.slice(0, -1)}\\;` : word;
}

/** The environment of the server and of every pane: nothing that only this process should know. */
function baseEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([key]) =>
    /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ)$/.test(key),
  );
  const env = Object.fromEntries(kept) as Record<string, string>;
  // tmux takes text for UTF-8 only where the locale says so.
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  return /utf-?8/i.test(locale) ? env : { ...env, LC_ALL: "C.UTF-8" };
}

function isAbsence({ said }: Failure): boolean {
  return /no server running|error connecting to .*\(No such file|can't find session|no sessions|no current target/.test(
    said,
  );
}

function missing(cause: unknown): RollcallError {
  return new RollcallError("tmux_missing", "tmux is not installed.", {
    hint: "Install it (on Debian: `apt-get install tmux`), or use `rollcall attach`, which needs no tmux.",
    cause,
  });
}

function failed({ said, cause }: Failure): RollcallError {
  return new RollcallError("internal", `tmux failed: ${said || "it gave no answer"}.`, { cause });
}
