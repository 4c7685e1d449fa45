import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { endByFile } from "./holder.ts";
import {
  findProcess,
  hasCompiler,
  isAlive,
  markedProcesses,
  program,
  startSession,
  type TestConnection,
  type TestSession,
  until,
} from "./holder-bench.ts";

const SHAPES = [
  ...["plain", "disown", "nohup", "ignore", "setsid"],
  ...["double-fork", "detached", "env-i", "daemon"],
];

interface Escaped {
  readonly session: TestSession;
  /** The agent, and the nine that try to leave its tree. */
  readonly pids: readonly number[];
}

async function startEscapes(): Promise<Escaped> {
  const dir = mkdtempSync(join(tmpdir(), "rh-"));
  const shapes = join(dir, "shapes");
  mkdirSync(shapes);
  const session = await startSession([program("escapes"), shapes], { dir, host: "pty" });
  await session.says("ready");
  const escaped = SHAPES.map((shape) => Number(readFileSync(join(shapes, shape), "utf8")));
  return { session, pids: [session.pids.agent, ...escaped] };
}

async function pause(client: TestConnection): Promise<void> {
  client.holder.pause();
  expect(await client.has("paused", ({ paused }) => paused)).toEqual({
    type: "paused",
    paused: true,
    missed: 0,
  });
}

const states = (pids: readonly number[]) => new Set(pids.map((pid) => findProcess(pid)?.state));

/** In a vfork a parent waits in the kernel (D) for its child, which is stopped. */
const canRun = (pid: number) => !["T", "D"].includes(findProcess(pid)?.state ?? "");

/** An agent that ends in order when it is asked to. */
const COOPERATIVE = "trap 'exit 6' TERM; echo ready; while :; do sleep 0.01; done";

describe.skipIf(!hasCompiler)("a pause", () => {
  test("stops the whole tree, children with a session of their own and daemons too, and continues it", async () => {
    const { session, pids } = await startEscapes();
    await using _ = session;
    await using client = await session.connect();
    await pause(client);
    expect(states(pids)).toEqual(new Set(["T"]));
    expect(await client.status()).toMatchObject({ paused: true, agent: { alive: true } });
    client.holder.continue();
    await client.has("paused", ({ paused }) => !paused);
    expect(states(pids)).not.toContain("T");
    expect((await client.status()).paused).toBe(false);
  });

  test("signals nothing but the tree", async () => {
    await using other = await startSession(["sleep", "60"]);
    await using session = await startSession(["sleep", "60"]);
    await using client = await session.connect();
    await pause(client);
    const strangers = [other.pids.agent, other.pids.holder, other.pids.guard, process.pid];
    const ours = [session.pids.holder, session.pids.guard];
    expect([...strangers, ...ours].map((pid) => findProcess(pid)?.state)).not.toContain("T");
    await client.status();
  });

  test.each([0, 50, 500])("catches a process that hops to a new pid every %i us", async (rest) => {
    await using session = await startSession([
      "sh",
      "-c",
      `${program("hopper")} ${rest} & exec ${program("stubborn")}`,
    ]);
    await session.says("ready");
    await using client = await session.connect();
    await pause(client);
    const caught = markedProcesses(session.marker).filter((pid) => !isOfHolder(session, pid));
    expect(caught.length).toBeGreaterThanOrEqual(2);
    for (let look = 0; look < 5; look++) expect(caught.filter(canRun)).toEqual([]);
  });

  test("catches what is forked while it is at work", async () => {
    const forking = "while :; do sleep 60 & sleep 60 & sleep 0.001; done";
    await using session = await startSession(["sh", "-c", `echo ready; ${forking}`]);
    await session.says("ready");
    await using client = await session.connect();
    await pause(client);
    const before = markedProcesses(session.marker).filter((pid) => !isOfHolder(session, pid));
    expect(before.filter(canRun)).toEqual([]);
    expect(markedProcesses(session.marker).filter((pid) => !isOfHolder(session, pid))).toEqual(before);
  });

  test("is unseen by a shell whose child was stopped", async () => {
    const script = "set -m; echo ready; sleep 0.4; echo status $?";
    await using session = await startSession(["bash", "-c", script], { host: "pty" });
    await session.says("ready");
    await using client = await session.connect();
    await pause(client);
    client.holder.continue();
    await session.says("status 0");
    expect(session.spooled().toString()).not.toContain("Stopped");
  });

  test("holds without the client that asked for it, and the next one is told", async () => {
    const { session, pids } = await startEscapes();
    await using _ = session;
    const first = await session.connect();
    await pause(first);
    await first[Symbol.asyncDispose]();
    await using second = await session.connect();
    expect((await second.has("status")).paused).toBe(true);
    expect(states(pids)).toEqual(new Set(["T"]));
    second.holder.continue();
    await second.has("paused", ({ paused }) => !paused);
    expect(states(pids)).not.toContain("T");
  });

  test("is told to every client, views too, and may be asked for again", async () => {
    await using session = await startSession(["sleep", "60"], { host: "pty" });
    await using client = await session.connect();
    await using view = await session.connect({ role: "view" });
    await pause(client);
    await view.has("paused", ({ paused }) => paused);
    client.holder.pause();
    await until(
      () => client.messages.filter(({ type }) => type === "paused").length === 2 || undefined,
      "it",
    );
    expect((await view.status()).paused).toBe(true);
  });

  test("is not a view's to ask for, nor its end", async () => {
    await using session = await startSession(["sleep", "60"], { host: "pty" });
    await using view = await session.connect({ role: "view", types: true });
    view.holder.pause();
    view.holder.continue();
    await view.has("refused", ({ frame, reason }) => frame === "P" && reason === "not_in_control");
    await view.has("refused", ({ frame, reason }) => frame === "K" && reason === "not_in_control");
    expect((await view.status()).paused).toBe(false);
  });

  test("keeps input for later", async () => {
    await using session = await startSession(["sh", "-c", "echo ready; read x; echo got $x; sleep 60"]);
    await session.says("ready");
    await using client = await session.connect();
    await pause(client);
    client.holder.input("patience\n");
    client.holder.continue();
    await session.says("got patience");
  });
});

describe.skipIf(!hasCompiler)("the end of a paused session", () => {
  const WAYS: Readonly<Record<string, (session: TestSession, client: TestConnection) => unknown>> = {
    "a message": (_, client) => client.holder.end(30_000),
    "the control file": (session) => endByFile(session.dir, 30_000),
    "a signal": (session) => process.kill(session.pids.holder, "SIGTERM"),
  };

  test.each(Object.entries(WAYS))(
    "by %s is proven, and quick for an agent that ends in order",
    async (_, endIt) => {
      await using session = await startSession(["sh", "-c", COOPERATIVE], { graceMs: 30_000 });
      await session.says("ready");
      await using client = await session.connect();
      await pause(client);
      await endIt(session, client);
      // Nobody waits as long as the grace for it.
      expect(await session.ended()).toMatchObject({
        agent: { code: 6, signal: null },
        reason: "asked",
        tree: { killed: 0, remaining: [] },
      });
      await client.has("paused", ({ paused }) => !paused);
    },
  );

  test("reaches all nine shapes that escape", async () => {
    const { session, pids } = await startEscapes();
    await using _ = session;
    await using client = await session.connect();
    await pause(client);
    client.holder.end(200);
    expect((await session.ended()).tree).toMatchObject({ killed: 1, remaining: [] });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test("comes by itself when its agent is killed", async () => {
    await using session = await startSession(["sh", "-c", "sleep 60 & echo ready; wait"]);
    await session.says("ready");
    await using client = await session.connect();
    await pause(client);
    process.kill(session.pids.agent, "SIGKILL");
    expect(await session.ended()).toMatchObject({ agent: { signal: "SIGKILL" }, tree: { killed: 0 } });
  });

  test("comes when its holder is lost", async () => {
    await using session = await startSession(["sh", "-c", COOPERATIVE]);
    await session.says("ready");
    const client = await session.connect();
    await pause(client);
    process.kill(session.pids.holder, "SIGKILL");
    expect(await session.ended()).toMatchObject({
      reason: "holder_lost",
      tree: { killed: 0, remaining: [] },
    });
    await client.closed();
  });

  test("cannot be paused any more", async () => {
    await using session = await startSession([program("stubborn")]);
    await session.says("ready");
    await using client = await session.connect();
    client.holder.end(60_000);
    client.holder.pause();
    await client.has("refused", ({ frame, reason }) => frame === "P" && reason === "not_running");
    expect(findProcess(session.pids.agent)?.state).toBe("S");
  });
});

/** Guard and holder carry the session's marker too. */
function isOfHolder(session: TestSession, pid: number): boolean {
  return pid === session.pids.guard || pid === session.pids.holder;
}
