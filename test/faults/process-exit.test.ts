import { writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Client } from "../../src/client/client.ts";
import type { SessionRecord } from "../../src/domain/session/session.ts";
import { readRecording } from "../../src/recording/recording-segments.ts";
import { gone, until } from "../live/user.ts";
import { smallMemory, whyNoMemoryGroup } from "./cgroups.ts";
import { type FaultUser, newFaultUser, reaches } from "./fault-user.ts";
import { PATIENCE_MS, report, times } from "./scale.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

test("agents that leave at once have their exact codes, and all that they said is kept", async () => {
  await using user = newFaultUser();
  await user.up();
  using client = await user.door();
  const count = times(50, 1000);
  const ids = await inTens(count, async (n) => {
    const command = ["sh", "-c", `echo said ${n}; exit ${n % 256}`];
    return (await startBy(client, user, command, n % 2 === 0 ? "interactive" : "autonomous")).id;
  });
  await client.call("wait_for_session", { sessionIds: ids, until: ["stopped", "failed"], timeoutMs: 60_000 });
  await using rollcall = await user.library();
  for (const [n, id] of ids.entries()) {
    const { exitCode, exitSignal, kind } = await rollcall.get(id);
    expect({ n, exitCode, exitSignal }).toEqual({ n, exitCode: n % 256, exitSignal: null });
    const entries = await Array.fromAsync(rollcall.entries(id));
    const said = kind === "interactive" ? recorded(user, id) : entries.map(({ text }) => text).join("");
    expect(said.trim()).toBe(`said ${n}`);
  }
  await until(() => user.launchFolders().length === 0, "the folders of launches to go");
  report(`agents that leave at once: ${count}, each with its code and its words`);
});

const NOT_DEADLY = ["SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGWINCH"];
const DEADLY = [...new Set(Object.values(constants.signals))].filter(
  (number) => number <= 31 && !namesOf(number).some((name) => NOT_DEADLY.includes(name)),
);

function namesOf(number: number): string[] {
  return Object.entries(constants.signals).flatMap(([name, value]) => (value === number ? [name] : []));
}

test("how an agent ended is kept apart: a code, or the signal, for each of them", async () => {
  await using user = newFaultUser();
  await user.up();
  using client = await user.door();
  const byCode = await Promise.all(
    [0, 1, 127, 255].map(async (code) => {
      const { id } = await startBy(client, user, ["sh", "-c", `exit ${code}`]);
      return { id, want: { state: code === 0 ? "stopped" : "failed", exit_code: code, exit_signal: null } };
    }),
  );
  const bySignal = await Promise.all(
    DEADLY.map(async (number) => {
      const { id } = await startBy(client, user, ["sh", "-c", `ulimit -c 0; kill -${number} $$; sleep 5`]);
      return { id, number };
    }),
  );
  for (const { id, want } of byCode) await reaches(user, id, want);
  for (const { id, number } of bySignal) {
    const ended = await reaches(user, id, { state: "failed", exit_code: null, outcome: "failure" });
    expect(namesOf(number), `signal ${number}`).toContain(ended.exit_signal);
  }
  report(`ways to end: 4 codes and ${bySignal.length} signals`);
});

test("ten ends at once, and the agent leaves by itself meanwhile: one end, the same answer to all", async () => {
  await using user = newFaultUser();
  await user.up();
  const rounds = times(5, 100);
  for (let round = 0; round < rounds; round++) {
    using client = await user.door();
    const gate = join(user.folder, `gate-${round}`);
    const leaves = `while [ ! -e ${gate} ]; do sleep 0.01; done; exit 3`;
    const { id } = await startBy(client, user, ["sh", "-c", leaves]);
    const clients = await Promise.all(Array.from({ length: 10 }, () => user.door()));
    if (round % 2 === 0) writeFileSync(gate, "");
    const answers = await Promise.all(
      clients.map((each) =>
        each.call<{ session: SessionRecord; killed: number }>("end_session", { sessionId: id }),
      ),
    );
    for (const each of clients) each[Symbol.dispose]();
    await expectOneEnd(user, id, answers);
  }
  report(`ten ends at once: ${rounds} rounds, one end each`);
});

async function expectOneEnd(user: FaultUser, id: string, answers: readonly unknown[]): Promise<void> {
  await using rollcall = await user.library();
  const events = await Array.fromAsync(rollcall.events(id));
  expect(events.filter(({ body }) => body.kind === "ended")).toHaveLength(1);
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
}

const noMemory = whyNoMemoryGroup();
if (noMemory !== undefined) report(`memory runs out: not run: ${noMemory}`);

describe.skipIf(noMemory !== undefined)("when memory runs out in its group", () => {
  test("an agent that the system kills is failed by SIGKILL, and others run on", async () => {
    await using user = newFaultUser();
    const other = await user.start(["--", "sleep", "600"]);
    const gate = join(user.folder, "gate");
    const eats = `while [ ! -e ${gate} ]; do sleep 0.02; done; exec tail /dev/zero`;
    const session = await user.start(["--", "sh", "-c", eats]);
    using group = smallMemory(32 * 1024 * 1024);
    group.write("cgroup.procs", String((session.process as { pid: number }).pid));
    writeFileSync(gate, "");
    await reaches(user, session.id, { state: "failed", exit_signal: "SIGKILL" });
    expect(await user.get(other.id)).toMatchObject({ state: "running" });
  });

  test("a daemon that the system kills loses no session: the next one finds each as it is", async () => {
    await using user = newFaultUser();
    const quiet = await user.start(["--", "sleep", "600"]);
    const gate = join(user.folder, "gate");
    const says = `while [ ! -e ${gate} ]; do sleep 0.02; done; seq 1 200000; exit 3`;
    const floods = await user.start(["--kind", "autonomous", "--", "sh", "-c", says]);
    const daemon = (await user.daemonPid()) as number;
    using group = smallMemory(4 * 1024 * 1024);
    group.write("cgroup.procs", String(daemon));
    writeFileSync(gate, "");
    await gone(daemon);
    expect(group.read("memory.oom_control")).toMatch(/^oom_kill [1-9]/m);
    expect(await user.daemonPid()).toBeUndefined();
    await user.up();
    await reaches(user, floods.id, { state: "failed", exit_code: 3 });
    expect(await user.get(quiet.id)).toMatchObject({ state: "running", process: quiet.process });
    await using rollcall = await user.library();
    const said = (await Array.fromAsync(rollcall.entries(floods.id))).map(({ text }) => text).join("");
    expect(said).toBe(Array.from({ length: 200_000 }, (_, n) => `${n + 1}\n`).join(""));
  });
});

async function startBy(
  client: Client,
  user: FaultUser,
  args: readonly string[],
  kind: "interactive" | "autonomous" = "interactive",
): Promise<SessionRecord> {
  const { env, workspace: cwd } = user;
  return client.call("start_session", { agentType: "unknown", args, kind, env, cwd, file: false });
}

async function inTens<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let begin = 0; begin < count; begin += 10) {
    const numbers = Array.from({ length: Math.min(10, count - begin) }, (_, n) => begin + n);
    results.push(...(await Promise.all(numbers.map(work))));
  }
  return results;
}

function recorded(user: FaultUser, id: string): string {
  return [...readRecording(join(user.state, "recordings", id))]
    .flatMap(([, kind, text]) => (kind === "o" ? [text] : []))
    .join("");
}
