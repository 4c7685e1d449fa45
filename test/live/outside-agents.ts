import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startTimeOf } from "../../src/machine/process.ts";
import type { LiveUser } from "./user.ts";

/** What a user finds of an agent that was started by hand: a process that lives, and the files that it writes. */
export interface OutsideAgent extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Adds lines to its transcript. */
  write(...lines: readonly object[]): void;
  /** Its own file of its state. */
  tell(status: "busy" | "idle"): void;
}

const UUID = "5d1f2b1e-0000-4000-8000-000000000001";

export function claudeOutside(user: LiveUser): OutsideAgent {
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  const config = join(user.env.HOME as string, ".claude");
  const project = user.workspace.replaceAll(/[^a-zA-Z0-9]/g, "-");
  const told = { pid: child.pid, procStart: startTimeOf(child.pid as number), sessionId: UUID };
  return agentOf(child, join(config, "projects", project, `${UUID}.jsonl`), (status) =>
    put(join(config, "sessions", `${child.pid}.json`), { ...told, cwd: user.workspace, status }),
  );
}

/** Codex has its rollout open for writing as long as it lives. */
export function codexOutside(user: LiveUser): OutsideAgent {
  const path = join(
    user.env.HOME as string,
    ".codex",
    "sessions",
    "2026",
    `rollout-2026-01-01-${UUID}.jsonl`,
  );
  mkdirSync(dirname(path), { recursive: true });
  const child = spawn("sh", ["-c", 'exec sleep 1000 3>>"$0"', path], { stdio: "ignore" });
  const agent = agentOf(child, path, () => {});
  agent.write(rollout("session_meta", { id: UUID, cwd: user.workspace, source: "cli" }));
  return agent;
}

function agentOf(child: ChildProcess, path: string, tell: OutsideAgent["tell"]): OutsideAgent {
  mkdirSync(dirname(path), { recursive: true });
  return {
    child,
    tell,
    write: (...lines) => appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join("")),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const left = once(child, "exit");
      child.kill("SIGKILL");
      await left;
    },
  };
}

function put(path: string, content: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(content));
}

/** One second after the other, long ago. */
let seconds = 0;
const timestamp = () => new Date(Date.UTC(2026, 0, 1, 0, 0, ++seconds)).toISOString();

export const claudeLine = {
  prompt: (text: string, cwd: string) => ({
    ...{ type: "user", promptSource: "typed", timestamp: timestamp(), cwd },
    message: { role: "user", content: text },
  }),
  answer: (text: string) => ({
    ...{ type: "assistant", timestamp: timestamp() },
    message: { id: `msg_${seconds}`, model: "claude-opus-5-5", content: [{ type: "text", text }] },
  }),
  error: (text: string) => ({ ...claudeLine.answer(text), isApiErrorMessage: true }),
  interrupted: () => ({
    ...{ type: "user", timestamp: timestamp() },
    message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user]" }] },
  }),
  over: () => ({ type: "system", subtype: "turn_duration", timestamp: timestamp() }),
};

export function rollout(type: string, payload: object): object {
  return { timestamp: timestamp(), type, payload };
}
