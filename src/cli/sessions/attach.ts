import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { RollcallError } from "../../domain/errors.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import { sessionAround } from "../../home/session-around.ts";
import { findExitFile } from "../../host/holder-files.ts";
import { hostOf } from "../../host/host.ts";
import { shortId } from "../../present/format.ts";
import { nameToCall } from "../../present/request.ts";
import { cut, printable } from "../../present/text.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { sessionsAbove } from "../../record/sessions-above.ts";
import { has, type Input } from "../framework/command.ts";
import { isTerminal, type Output } from "../framework/output.ts";
import { launchOf, nativeProgram } from "../live.ts";
import { offerWorktree } from "./worktree-offer.ts";

/** How the attach program leaves. */
const DETACHED = 0;
const ENDED = 10;
const NOBODY_THERE = 12;

/** Whether whoever starts a session is at a terminal, and wants to see it there. */
export function canAttach(input: Input, output: Output): boolean {
  return output.isTerminal && isTerminal(0) && !output.isJson && !has(input, "detach");
}

let hasDetached = false;

function detach(): void {
  hasDetached = true;
}

/**
 * Before the attach program has the terminal, Ctrl-\ comes as a signal. The launcher leaves by it; from here on it is said
 * how to come back. Ours is added first: without any listener a signal that is on its way would be lost.
 */
export function heedDetachKey(): void {
  process.on("SIGQUIT", detach);
  for (const listener of process.listeners("SIGQUIT"))
    if (listener !== detach) process.off("SIGQUIT", listener);
}

/** A plain terminal onto a session. Needs only its holder: it works while the daemon is gone. */
export async function attachTo(
  rollcall: Rollcall,
  output: Output,
  id: string,
  options: { readonly watch?: boolean } = {},
): Promise<number> {
  heedDetachKey();
  const { row, folder } = await launchOf(rollcall, id);
  await checkNotInside(rollcall, id, options.watch ?? false);
  if (!row.carried || !hostOf(row.carried.launch.host).hasScreen)
    throw new RollcallError("wrong_state", `Session ${id} has no terminal.`, {
      hint: `Read it with \`rollcall data ${id}\`.`,
    });
  if (!isTerminal(0) || !isTerminal(1))
    throw new RollcallError("bad_usage", "Attaching needs a terminal.", {
      hint: `Read the session with \`rollcall data ${id}\`.`,
    });
  const program = nativeProgram("rollcall-attach");
  if (!existsSync(program))
    throw new RollcallError("holder_missing", "The attach program was not built.", {
      hint: "Run `npm run build`.",
    });
  const key = rollcall.context.config["attach.detach_key"];
  const name = row.name ?? shortId(id);
  const { line, watchLine } = linesOf(name, keyName(key), options.watch ?? false);
  const args = [
    ...["--dir", folder, "--detach-key", String(keyByte(key))],
    ...["--line", line, "--watch-line", watchLine],
    ...(options.watch ? ["--watch"] : []),
  ];
  const code = hasDetached ? DETACHED : await run(program, args);
  if (output.isJson && (code === DETACHED || code === ENDED))
    output.json({ sessionId: id, ended: code === ENDED });
  return leave(rollcall, output, id, { name, call: nameToCall(row), folder, code });
}

/** Typing is a way to answer: an agent may not answer its own requests, nor those of the sessions above it. */
async function checkNotInside({ context }: Rollcall, id: string, isWatching: boolean): Promise<void> {
  const around = sessionAround(context.home, process.pid);
  if (around === id)
    throw new RollcallError("wrong_state", "A session cannot be attached to itself.", {
      hint: "Attach from another terminal.",
    });
  if (isWatching || around === null || !(await sessionsAbove(context, around)).has(id)) return;
  throw new RollcallError("own_request", `Session ${around} may not type into a session above it.`, {
    hint: `\`rollcall attach ${id} --watch\` shows it.`,
  });
}

/** As wide as the terminal at most, with a space on either side. */
function linesOf(name: string, key: string, isWatching: boolean): { line: string; watchLine: string } {
  const fitting = (text: string) => cut(printable(text), Math.max(1, (process.stdout.columns || 80) - 2));
  return {
    line: fitting(`Attached to ${name}; ${isWatching ? "you only watch; " : ""}${key} detaches.`),
    watchLine: fitting(`Another terminal types now; you watch until you press a key. ${key} detaches.`),
  };
}

interface Left {
  readonly name: string;
  /** As a command names it. */
  readonly call: string;
  readonly folder: string;
  readonly code: number;
}

async function leave(
  rollcall: Rollcall,
  output: Output,
  id: string,
  { name, call, folder, code }: Left,
): Promise<number> {
  if (code === DETACHED) {
    output.note(`Detached; ${name} goes on. Come back with \`rollcall attach ${call}\`.`);
    return 0;
  }
  const session = await rollcall.get(id);
  if (code === ENDED) {
    output.note(`${name} has ended${howItEnded(folder, session)}.`);
    await offerWorktree(rollcall, output, session);
    return 0;
  }
  if (code === NOBODY_THERE)
    throw new RollcallError(
      "wrong_state",
      `Session ${id} is ${session.state} and has no terminal any more.`,
      {
        hint: `Read it with \`rollcall data ${id}\` or \`rollcall logs ${id}\`.`,
      },
    );
  throw new RollcallError("internal", `The attach program ended with ${code}.`);
}

/** As its holder wrote it; the record may come a moment later, and the holder's word is gone by then. */
function howItEnded(folder: string, { exitCode, exitSignal }: SessionRecord): string {
  const { code = exitCode, signal = exitSignal } = findExitFile(folder)?.agent ?? {};
  return signal ? ` (${signal})` : code === null ? "" : ` (exit ${code})`;
}

/**
 * It shares our terminal; the signals that a terminal sends are its business while it runs. Ctrl-\ comes as one only before
 * it has the terminal, and may have come before it ran.
 */
async function run(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: "inherit" });
  const ignore = () => {};
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of KEYS_OF_TERMINAL) process.on(signal, ignore);
  for (const signal of LEAVING) process.on(signal, pass);
  try {
    return await new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code, signal) => resolve(signal === "SIGQUIT" ? DETACHED : (code ?? 1)));
    });
  } finally {
    for (const signal of KEYS_OF_TERMINAL) process.off(signal, ignore);
    for (const signal of LEAVING) process.off(signal, pass);
  }
}

const KEYS_OF_TERMINAL = ["SIGINT", "SIGTSTP"] as const;
const LEAVING = ["SIGTERM", "SIGHUP", "SIGQUIT"] as const;

function keyByte(key: string): number {
  return key.slice("ctrl-".length).toUpperCase().charCodeAt(0) & 0x1f;
}

function keyName(key: string): string {
  return `Ctrl-${key.slice("ctrl-".length)}`;
}
