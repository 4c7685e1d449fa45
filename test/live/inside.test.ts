import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LAUNCHER } from "../cli/rollcall.ts";
import { asking, atPrompt, dataOf, turn } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

const ROLLCALL = `"${process.execPath}" "${LAUNCHER}"`;

/** Runs Rollcall as a tool of the agent in a session; what it printed and exited with. */
async function inside(user: LiveUser, id: string, args: string) {
  await turn(user, id, `run ${ROLLCALL} ${args}`);
  const { entries } = await dataOf(user, id);
  const result = entries.findLast(({ kind }) => kind === "tool_result")?.tool?.result;
  return result as { readonly code: number | null; readonly output: string };
}

test("a session that calls Rollcall sees the roll, and starts children of its own", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user, "--name", "boss");
  expect((await inside(user, id, "list -q")).output.trim()).toBe(id);
  const started = await inside(user, id, "start -d -- sleep 1000");
  expect(started.code).toBe(0);
  const child = await user.get(started.output.trim());
  expect(child).toMatchObject({ state: "running", parent_id: id });
  expect((await inside(user, id, "get self")).output).toContain("boss");
});

test("end self writes its answer and exits 0 before its session is signalled, each time", async () => {
  await using user = newLiveUser();
  const ends = async (n: number) => {
    const folder = join(user.workspace, `s${n}`);
    mkdirSync(folder);
    // The shell outlives the first signal, so that it can say how the command went.
    const script = `trap : TERM; ${ROLLCALL} end self --json > answer; echo $? > code; sleep 777`;
    const { id } = await user.start(["--kind", "autonomous", "--cwd", folder, "--", "sh", "-c", script]);
    await user.reach(id, "stopped");
    const [answer, code] = ["answer", "code"].map((name) => readFileSync(join(folder, name), "utf8"));
    expect(code).toBe("0\n");
    expect(JSON.parse(answer as string)).toMatchObject({
      results: [{ session: { id, state: "stopping" } }],
    });
    expect(await user.get(id)).toMatchObject({ state: "stopped", outcome: "interrupted" });
  };
  await Promise.all([0, 1, 2, 3, 4, 5].map(ends));
});

test("a session that ends itself is answered before it dies, and nobody else is touched", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  const other = await user.start(["--", "sleep", "1000"]);
  const child = (await inside(user, id, "start -d -- sleep 1000")).output.trim();
  const daemon = await user.daemonPid();
  const answer = user.rollcall(["send", id, `run ${ROLLCALL} end self --json > answer.json`]);
  expect(await user.reach(id, "stopped")).toMatchObject({ outcome: "interrupted" });
  await answer;
  const said = JSON.parse(readFileSync(`${user.workspace}/answer.json`, "utf8")) as object;
  expect(said).toMatchObject({ results: [{ session: { id, state: "stopping" } }] });
  expect(await user.daemonPid()).toBe(daemon);
  for (const alive of [other.id, child]) expect(await user.get(alive)).toMatchObject({ state: "running" });
});

test("inside a session no daemon is started: live verbs say so, and records work", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  const results = `${ROLLCALL} status > status; for verb in "start -d -- true" "wait self" "data self" "up" "list -q" "get self" "update self --phase planning"; do ${ROLLCALL} $verb > /dev/null 2>> said; echo "$?" >> codes; done`;
  await user.ok(["send", id, `run until [ -e gate ]; do sleep 0.02; done ; run ${results}`]);
  await user.reach(id, "running");
  await user.ok(["down"]);
  writeFileSync(join(user.workspace, "gate"), "");
  const codes = () =>
    existsSync(`${user.workspace}/codes`)
      ? readFileSync(`${user.workspace}/codes`, "utf8").trim().split("\n")
      : [];
  await until(() => codes().length === 7, "all of them");
  expect(codes()).toEqual(["4", "4", "4", "4", "0", "0", "0"]);
  expect(readFileSync(`${user.workspace}/said`, "utf8")).toContain("rollcall up");
  expect(readFileSync(`${user.workspace}/status`, "utf8")).toContain("a session cannot start it");
  expect(await user.daemonPid()).toBeUndefined();
  expect(await user.reach(id, "waiting_input")).toMatchObject({ phase: "planning" });
});

/** A shell in a session of its own, which a session started: it runs what it is sent. */
async function shellOf(user: LiveUser, parent: string, options = "") {
  const script = 'while read -r line; do eval "$line" > said 2>&1; echo $? > code; done';
  const shell = (await inside(user, parent, `start -d ${options} -- sh -c '${script}'`)).output.trim();
  return async (line: string) => {
    const path = join(user.workspace, "code");
    rmSync(path, { force: true });
    await user.ok(["send", shell, line]);
    await until(() => existsSync(path) && readFileSync(path, "utf8") !== "", "its answer");
    return {
      code: readFileSync(path, "utf8").trim(),
      said: readFileSync(join(user.workspace, "said"), "utf8"),
    };
  };
}

test("an agent may not answer its own request, nor its parent's, by a command or by keys", async () => {
  await using user = newLiveUser();
  const parent = await atPrompt(user);
  const run = await shellOf(user, parent);
  await asking(user, parent, "ask Bash");
  for (const verb of [`approve ${parent}`, `deny ${parent}`, `keys ${parent} 1`]) {
    const { code, said } = await run(`${ROLLCALL} ${verb}`);
    expect([verb, code]).toEqual([verb, "4"]);
    expect(said).toContain("may not answer");
  }
  expect((await user.get(parent)).waiting).toMatchObject({ for: "permission" });
  await user.ok(["approve", parent]);
});

test("a session whose start an agent asked for may not answer that agent, whichever parent it was given", async () => {
  await using user = newLiveUser();
  const asks = await atPrompt(user);
  const stranger = (await user.ok(["create", "--json"])).json.id as string;
  const run = await shellOf(user, asks, `--parent ${stranger}`);
  await asking(user, asks, "ask Bash");
  expect(await run(`${ROLLCALL} approve ${asks}`)).toMatchObject({ code: "4" });
  expect((await user.get(asks)).waiting).toMatchObject({ for: "permission" });
  await user.ok(["approve", asks]);
});

test("an agent may not attach to its own terminal nor to its parent's, whatever its environment says", async () => {
  await using user = newLiveUser();
  const parent = await atPrompt(user);
  const run = await shellOf(user, parent);
  const attach = `${ROLLCALL} attach ${parent} < /dev/tty`;
  expect(await run(attach)).toMatchObject({ code: "4", said: expect.stringContaining("may not type") });
  expect(await run(`env -u ROLLCALL_SESSION -u ROLLCALL_SESSION_ID ${attach}`)).toMatchObject({ code: "4" });
  const self = `env -u ROLLCALL_SESSION -u ROLLCALL_SESSION_ID ${ROLLCALL} attach $ROLLCALL_SESSION_ID`;
  expect(await run(self)).toMatchObject({ code: "4", said: expect.stringContaining("to itself") });
});

test("an event of a command says who asked: user, process, terminal and the session around it", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  const child = (await inside(user, id, "start -d -- sleep 1000")).output.trim();
  const asker = async (session: string, index: number) => {
    const lines = (await user.ok(["events", session, "--json"])).stdout.trim().split("\n");
    return (JSON.parse(lines.at(index) as string) as { body: { asker?: object } }).body.asker;
  };
  expect(await asker(child, 0)).toMatchObject({ uid: process.getuid?.(), session_id: id });
  await user.ok(["pause", child]);
  expect(await asker(child, -1)).toMatchObject({ pid: expect.any(Number), session_id: null });
  await user.ok(["update", child, "--phase", "planning"]);
  expect(await asker(child, -1)).toMatchObject({ uid: process.getuid?.(), terminal: null, session_id: null });
});
