import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Client, connectDaemon } from "../../src/client/client.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

const SESSIONS = 200;
/** Waits at a fifo for the others, then writes more than is kept without a snapshot, and says at last who it is. */
const SCRIPT = `read -r _ <go
  yes "$(printf '\\033[32m*\\033[39m some words of an agent, and some more words of it, to fill a line')" | head -n 8000
  echo "this is $0"; exec sleep 600`;
/** Well below what it takes where each has its own screen, be it for a question or for a snapshot. */
const MOST_MB = 400;
const MOST_MS = 180_000;

test(
  "the daemon stays small while 200 screens with full histories are kept and asked for",
  async () => {
    await using user = newLiveUser();
    await user.ok(["up"]);
    execFileSync("mkfifo", [join(user.workspace, "go")]);
    using client = (await connectDaemon(join(user.state, "run"))) as Client;
    const ids = await startAll(client, user);
    // A line for each; both ends stay open, so that none of them finds nobody there.
    const gate = openSync(join(user.workspace, "go"), "r+");
    writeSync(gate, "\n".repeat(SESSIONS));
    // One after the other, 200 of them: as long as the test itself may take.
    for (const folder of user.launchFolders())
      await until(() => hasSnapshot(folder), "its snapshot", MOST_MS);
    const keptMb = mostMbOf(client.greeting.pid);
    for (const [n, id] of ids.entries()) await until(async () => shows(client, id, n), `screen ${n}`);
    expect(await Promise.all(ids.map(async (id, n) => shows(client, id, n)))).toEqual(ids.map(() => true));
    closeSync(gate);
    const askedMb = mostMbOf(client.greeting.pid);
    process.stdout.write(`${SESSIONS} screens: ${JSON.stringify({ keptMb, askedMb })}\n`);
    expect(askedMb).toBeLessThan(MOST_MB);
  },
  MOST_MS,
);

async function startAll(client: Client, user: LiveUser): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < SESSIONS; n++) {
    const input = { agentType: "unknown", args: ["sh", "-c", SCRIPT, String(n)], kind: "interactive" };
    const place = { cwd: user.workspace, env: { PATH: process.env.PATH ?? "" }, file: false };
    ids.push((await client.call<{ id: string }>("start_session", { ...input, ...place })).id);
  }
  return ids;
}

function hasSnapshot(folder: string): boolean {
  return readdirSync(folder).some((name) => name.startsWith("snapshot-"));
}

async function shows(client: Client, sessionId: string, n: number): Promise<boolean> {
  const { screen } = await client.call<{ screen: string }>("get_session_data", { sessionId });
  return screen.includes(`this is ${n}`);
}

function mostMbOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return Math.round((Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024) / 1e6);
}
