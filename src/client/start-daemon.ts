import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { RollcallError } from "../domain/errors.ts";
import { type Client, connectDaemon } from "./client.ts";

export interface DaemonOptions {
  readonly home: string;
  /** The socket that it listens on. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** The script that is the daemon. */
  readonly program: string;
}

/** The running daemon, or one started for the purpose; never from inside a session, which must be able to end alone. */
export async function ensureDaemon(options: DaemonOptions): Promise<Client> {
  const running = await connectDaemon(options.folder);
  if (running) return running;
  if (options.env.ROLLCALL_SESSION_ID) {
    throw new RollcallError(
      "daemon_not_running",
      "The daemon is not running, and a session cannot start it.",
      {
        hint: "Run `rollcall up` in a terminal of your own.",
      },
    );
  }
  const last = performance.now() + START_MS;
  while (performance.now() < last) {
    const isOther = (await startDaemon(options)) === "running";
    const client = await reach(options.folder, isOther ? OTHER_MS : 0);
    if (client) return client;
    if (!isOther)
      throw new RollcallError("daemon_failed", "The daemon was started and is gone again.", {
        hint: SEE_LOG,
      });
  }
  throw new RollcallError("daemon_failed", "A daemon runs and takes no calls.", { hint: SEE_LOG });
}

const START_MS = 20_000;
/** Another one that has the lock is about to listen, or about to leave: then it is our turn. */
const OTHER_MS = 1000;
const STEP_MS = 20;

async function reach(folder: string, withinMs: number): Promise<Client | undefined> {
  const last = performance.now() + withinMs;
  for (;;) {
    const client = await connectDaemon(folder);
    if (client || performance.now() >= last) return client;
    await sleep(STEP_MS);
  }
}

const SEE_LOG = "Its log is daemon.log in the state folder; `rollcall doctor` may know more.";

/** Output that it cannot log, such as of a crash of Node itself. */
function openErrors(home: string): { readonly path: string; readonly fd: number } {
  const path = join(home, "daemon.err");
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return { path, fd: openSync(path, "w", 0o600) };
  } catch (cause) {
    throw new RollcallError("daemon_failed", `${path} cannot be written.`, {
      hint: "Check that its folder belongs to you and has room, or choose another with ROLLCALL_HOME.",
      cause,
    });
  }
}

function lastLine(path: string): string | undefined {
  return readFileSync(path, "utf8").trim().split("\n").at(-1);
}

/** It runs for weeks beside other work: young objects get little room, so that what is free is given back. */
const MEMORY = ["--max-semi-space-size=2"];

/** Resolves when the daemon answers, or when it found that another one is there. */
async function startDaemon({ env, home, program }: DaemonOptions): Promise<"ready" | "running"> {
  const errors = openErrors(home);
  const child = spawn(process.execPath, [...MEMORY, program], {
    detached: true,
    cwd: "/",
    stdio: ["ignore", "pipe", errors.fd],
    env: { ...env, ROLLCALL_HOME: home },
  });
  const stdout = child.stdout as Readable;
  let said = "";
  await new Promise<void>((resolve, reject) => {
    stdout.on("data", (data: Buffer) => {
      said += data.toString();
      if (said.includes("\n")) resolve();
    });
    child.on("error", (cause) => reject(notStarted(cause.message, cause)));
    child.on("close", () => resolve());
  });
  stdout.destroy();
  child.unref();
  closeSync(errors.fd);
  const line = said.split("\n")[0] ?? "";
  if (line === "ready") return "ready";
  if (/^running( \d+)?$/.test(line)) return "running";
  throw notStarted(line || lastLine(errors.path) || "it said nothing");
}

function notStarted(why: string, cause?: Error): RollcallError {
  return new RollcallError("daemon_failed", `The daemon could not be started: ${why.replace(/\.?$/, ".")}`, {
    hint: SEE_LOG,
    ...(cause ? { cause } : {}),
  });
}
