import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectHolder } from "../../src/host/holder.ts";
import { ROOT, run } from "../cli/rollcall.ts";
import { asking, atPrompt, dataOf, eventsOf, said, turn } from "./scripted.ts";
import { gone, isAlive, type LiveUser, newLiveUser, processesOf, until } from "./user.ts";

const NAP = ["--", "sleep", "1000"];

function daemonsOf(user: LiveUser): number[] {
  return processesOf(user.folder)
    .filter(({ command }) => command.includes("rollcall-daemon"))
    .map(({ pid }) => pid);
}

describe("the daemon", () => {
  test("is not started by what needs none", async () => {
    await using user = newLiveUser();
    for (const args of [["list"], ["status"], ["status", "--short"], ["create"], ["down"], ["list"]])
      await user.ok(args);
    await user.ok(["get", "last"]);
    await user.rollcall(["should-resume", "last"]);
    expect(daemonsOf(user)).toEqual([]);
    expect((await user.ok(["status", "--json"])).json).toMatchObject({
      daemon: { running: false, pid: null },
    });
    expect((await user.ok(["down"])).stdout).toBe("The daemon does not run.\n");
  });

  test("that leaves before it answers status does not run", async () => {
    await using user = newLiveUser();
    await user.ok(["up"], { env: { ROLLCALL_FAULT: "status.asked" } });
    const { json } = await user.ok(["status", "--json"]);
    expect(json).toMatchObject({ daemon: { running: false, pid: null } });
  });

  test("is one, however many start it at once", async () => {
    await using user = newLiveUser();
    const ups = await Promise.all(Array.from({ length: 20 }, async () => user.rollcall(["up", "--json"])));
    expect(ups.map(({ code, stderr }) => [code, stderr])).toEqual(Array(20).fill([0, ""]));
    expect(daemonsOf(user)).toHaveLength(1);
    expect(await user.daemonPid()).toBe(daemonsOf(user)[0]);
  });

  test("leaves when its runtime folder was removed and another is in its place, which it leaves alone", async () => {
    await using user = newLiveUser();
    await user.ok(["up"]);
    const [first = 0] = daemonsOf(user);
    rmSync(join(user.state, "run"), { recursive: true });
    await user.ok(["up"]);
    await gone(first);
    expect(daemonsOf(user)).toEqual([await user.daemonPid()]);
    expect(readFileSync(join(user.state, "run", "daemon.pid"), "utf8")).toBe(String(await user.daemonPid()));
  });

  test("leaves when its whole state folder was removed", async () => {
    await using user = newLiveUser();
    await user.ok(["up"]);
    const [daemon = 0] = daemonsOf(user);
    rmSync(user.state, { recursive: true });
    await gone(daemon);
    expect(daemonsOf(user)).toEqual([]);
  });

  test("is started by the first of many sessions, and carries all of them", async () => {
    await using user = newLiveUser();
    const starts = await Promise.all(Array.from({ length: 20 }, async () => user.start(NAP)));
    expect(new Set(starts.map(({ id }) => id)).size).toBe(20);
    expect(daemonsOf(user)).toHaveLength(1);
    expect((await user.ok(["status", "--short"])).stdout).toBe("20 live, 0 waiting\n");
  });

  test("that leaves does what it was asked, or says to try again; who comes later gets the next one", async () => {
    await using user = newLiveUser();
    for (let round = 0; round < 5; round++) {
      await user.ok(["up"]);
      const [down, ...starts] = await Promise.all([
        user.rollcall(["down"]),
        ...Array.from({ length: 4 }, async () => user.rollcall(["start", "-d", ...NAP])),
      ]);
      expect(down?.code).toBe(0);
      for (const { code, stderr } of starts)
        expect([code, stderr]).toEqual(code === 0 ? [0, ""] : [4, expect.stringContaining("just stopping")]);
    }
    await user.ok(["up"]);
    const { sessions } = (await user.ok(["list", "--json"])).json;
    expect(new Set(sessions.map(({ state }) => state))).toEqual(new Set(["running"]));
    expect(user.launchFolders()).toHaveLength(sessions.length);
  });

  test("that stops leaves agents running, and the next command finds them as they are", async () => {
    await using user = newLiveUser();
    const nap = await user.start(NAP);
    const [prompt, request, busy] = [await atPrompt(user), await atPrompt(user), await atPrompt(user)];
    const asked = await asking(user, request, "ask Bash");
    await user.ok(["send", busy, "hang"]);
    await user.reach(busy, "running");
    expect((await user.ok(["down"])).stdout).toContain("4 sessions run on");
    expect(daemonsOf(user)).toEqual([]);
    await user.ok(["up"]);
    expect(await user.get(nap.id)).toMatchObject({ state: "running" });
    expect(await user.get(prompt)).toMatchObject({ state: "waiting_input", waiting: { for: "prompt" } });
    expect(await user.get(request)).toMatchObject({ state: "waiting_input", waiting: asked.waiting });
    expect(await user.get(busy)).toMatchObject({ state: "running" });
    await user.ok(["approve", request]);
    expect(await turn(user, prompt, "say alive")).toMatchObject({ answer: "alive" });
  });

  test("learns what happened while there was none", async () => {
    await using user = newLiveUser();
    const gate = join(user.folder, "gate");
    const opened = `until [ -e ${gate} ]; do sleep 0.02; done`;
    const [good, bad, talks] = [
      await user.start(["--", "sh", "-c", `${opened}; exit 0`]),
      await user.start(["--kind", "autonomous", "--", "sh", "-c", `${opened}; echo last; exit 7`]),
      await atPrompt(user),
    ];
    await user.ok(["send", talks, `run ${opened} ; say meanwhile`]);
    await user.ok(["down"]);
    writeFileSync(gate, "");
    const { pid } = processOf(await eventsOf(user, bad.id));
    await until(() => !isAlive(pid), "its end");
    await user.ok(["up"]);
    expect(await user.reach(good.id, "stopped")).toMatchObject({ exit_code: 0, outcome: "success" });
    expect(await user.reach(bad.id, "failed")).toMatchObject({ exit_code: 7, outcome: "failure" });
    expect((await user.ok(["logs", bad.id])).stdout).toBe("last\n");
    await user.reach(talks, "waiting_input");
    expect(await said(user, talks, "assistant")).toEqual(["meanwhile"]);
  });

  test.each([
    ["say good", "success"],
    ["fail badly", "failure"],
    ["hang", "interrupted"],
  ])("learns how the last turn went of an agent that did %j and left meanwhile", async (text, outcome) => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await turn(user, id, "say before");
    const gate = join(user.folder, "gate");
    await user.ok(["send", id, `run while [ ! -e ${gate} ]; do sleep 0.02; done ; ${text}`]);
    await user.reach(id, "running");
    const { pid } = processOf(await eventsOf(user, id));
    await user.killDaemon();
    await using holder = await connectHolder(user.launchFolders()[0] as string, { role: "control" });
    for await (const message of holder) {
      // The holder's first word: the connection is taken in, and no report is missed from here on.
      if (message.type === "status") writeFileSync(gate, "");
      if (message.type === "status" && text === "hang") break;
      if (message.type === "report" && message.fields.state !== "working") break;
    }
    holder.input("\u0004");
    await until(() => !isAlive(pid), "its end");
    await user.ok(["up"]);
    expect(await user.reach(id, "stopped")).toMatchObject({ exit_code: 0, outcome });
  });

  test("learns all that was said while there was none, however many lines it is", async () => {
    await using user = newLiveUser();
    const gate = join(user.folder, "gate");
    const says = `until [ -e ${gate} ]; do sleep 0.02; done; seq 1 300000`;
    const { id } = await user.start(["--kind", "autonomous", "--", "sh", "-c", says]);
    const { pid } = processOf(await eventsOf(user, id));
    await user.killDaemon();
    writeFileSync(gate, "");
    await until(() => !isAlive(pid), "its end");
    await user.ok(["up"]);
    await user.reach(id, "stopped");
    const { stdout } = await user.ok(["logs", id]);
    expect(stdout).toBe(Array.from({ length: 300_000 }, (_, n) => `${n + 1}\n`).join(""));
  });

  test("ends everything before it stops, if told so", async () => {
    await using user = newLiveUser();
    const ids = [(await user.start(NAP)).id, await atPrompt(user)];
    const report = (await user.ok(["down", "--end-all", "--json"])).json;
    expect(report).toMatchObject({ running: 0 });
    expect((report.ended as string[]).toSorted()).toEqual(ids.toSorted());
    expect(processesOf(user.folder)).toEqual([]);
    for (const id of ids) expect(await user.get(id)).toMatchObject({ state: "stopped" });
  });

  test("tells where it is and what lives", async () => {
    await using user = newLiveUser();
    await atPrompt(user);
    const { json } = await user.ok(["status", "--json"]);
    expect(json).toMatchObject({
      daemon: { running: true, pid: daemonsOf(user)[0], version: expect.any(String) as string, url: null },
      ...{ store: join(user.state, "rollcall.db"), live: 1, waiting: 1 },
    });
    expect((await user.ok(["status"])).stdout).toContain("1 session live, 1 waiting");
  });

  test("starts over what a power cut or a stranger left among the launches, and loses no session", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(NAP);
    await user.killDaemon();
    const launches = join(user.state, "run", "sessions");
    for (const folder of user.launchFolders()) writeFileSync(join(folder, "secrets"), "");
    writeFileSync(join(launches, "stray"), "");
    mkdirSync(join(launches, "half"));
    writeFileSync(join(launches, "half", "holder.json"), "");
    await user.ok(["up"]);
    expect((await user.ok(["end", id, "--json"])).only).toMatchObject({ session: { state: "stopped" } });
  });

  test("starts over what a crash left: a socket, a lock, half a hook", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await user.killDaemon();
    const left = readdirSync(join(user.state, "run"));
    expect(left).toContain("daemon.sock");
    expect(left).toContain("daemon.lock");
    writeFileSync(join(user.state, "run", "hooks", ".half"), "{");
    expect(await turn(user, id, "say back")).toMatchObject({ answer: "back" });
  });
});

function processOf(events: Awaited<ReturnType<typeof eventsOf>>): { readonly pid: number } {
  return events.find(({ kind }) => kind === "launched")?.body.process as { pid: number };
}

describe("what the daemon writes", () => {
  test("is its user's alone", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await turn(user, id, "say something");
    await user.start(["--kind", "autonomous", ...NAP]);
    const open = readdirSync(user.state, { recursive: true, encoding: "utf8" })
      .map((name) => join(user.state, name))
      .concat(user.state)
      .filter((path) => (statSync(path).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });

  test("to its log is one JSON object on each line", async () => {
    await using user = newLiveUser();
    await user.start(NAP);
    const lines = readFileSync(join(user.state, "daemon.log"), "utf8").trim().split("\n");
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) as number });
    expect(lines[0]).toContain('"msg":"ready"');
  });
});

test("up of another version replaces the daemon, and sessions go on", async () => {
  await using user = newLiveUser();
  const nap = await user.start(NAP);
  const id = await atPrompt(user);
  const asked = await asking(user, id, "say before ; ask Bash");
  const before = await user.daemonPid();
  const launcher = anotherVersion(user, "99.8.7");
  const answer = await run(process.execPath, [launcher, "up"], { env: user.env, cwd: user.workspace });
  expect(answer).toMatchObject({ code: 0, stderr: "" });
  expect(answer.stdout).toContain("99.8.7");
  expect(isAlive(before as number)).toBe(false);
  expect((await user.ok(["status", "--json"])).json).toMatchObject({
    daemon: { version: "99.8.7" },
    live: 2,
  });
  expect(await user.get(nap.id)).toMatchObject({ state: "running" });
  expect(await user.get(id)).toMatchObject({ state: "waiting_input", waiting: asked.waiting });
  await user.ok(["approve", id]);
  await user.reach(id, "waiting_input");
  expect((await dataOf(user, id)).entries.map(({ text }) => text)).toContain("before");
  expect(await user.rollcall(["up"])).toMatchObject({ code: 0 });
  expect(daemonsOf(user)).toHaveLength(1);
});

/** A copy of this build that says it is another version. */
function anotherVersion(user: LiveUser, version: string): string {
  const folder = join(user.folder, "other");
  mkdirSync(folder);
  for (const name of ["bin", "dist"]) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const own = (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string }).version;
  const bundles = readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" });
  for (const name of bundles.filter((each) => each.endsWith(".cjs"))) {
    const path = join(folder, "dist", name);
    const text = readFileSync(path, "utf8");
    writeFileSync(
      path,
      text.replaceAll(`\`${own}\``, `\`${version}\``).replaceAll(`"${own}"`, `"${version}"`),
    );
  }
  return join(folder, "bin", "rollcall.cjs");
}
