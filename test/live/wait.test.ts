import { readdirSync, readlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Answer } from "../cli/rollcall.ts";
import { atPrompt, turn } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

const NAP = ["--", "sleep", "1000"];

describe("wait", () => {
  test("is for all of them, or for the first", async () => {
    await using user = newLiveUser();
    const [a, b] = [await user.start(NAP), await user.start(NAP)];
    const all = user.ok(["wait", a.id, b.id, "--until", "stopped", "--json"]);
    const any = user.ok(["wait", a.id, b.id, "--until", "stopped", "--any", "--json"]);
    await user.ok(["end", b.id]);
    expect((await any).json).toMatchObject({ results: [{ session: { id: b.id }, reached: "stopped" }] });
    await user.ok(["end", a.id]);
    expect((await all).json).toMatchObject({
      results: [
        { session: { id: a.id }, reached: "stopped" },
        { session: { id: b.id }, reached: "stopped" },
      ],
    });
  });

  test("for the first is not over when one ends without", async () => {
    await using user = newLiveUser();
    const [a, b] = [await user.start(NAP), await user.start(NAP)];
    const any = user.rollcall(["wait", a.id, b.id, "--until", "paused", "--any", "--json"]);
    await user.ok(["end", a.id]);
    await user.ok(["pause", b.id]);
    expect((await any).json).toMatchObject({ results: [{ session: { id: b.id }, reached: "paused" }] });
    const none = user.rollcall(["wait", a.id, b.id, "--until", "running", "--any", "--json"]);
    await user.ok(["end", b.id]);
    expect(await none).toMatchObject({
      code: 4,
      json: {
        results: [
          { session: { id: a.id }, reached: null },
          { session: { id: b.id }, reached: null },
        ],
      },
    });
  });

  test("is over at once where the state is reached already", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    expect((await user.ok(["wait", id, "--json"])).only).toMatchObject({ reached: "waiting_input" });
    expect((await user.ok(["wait", id])).stdout).toBe(`${id} waiting_input (prompt)\n`);
  });

  test("says for people what failed in a turn, and how a session ended", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["scripted", "fail API Error: 400"]);
    const failed = `${id} waiting_input (prompt); its turn failed: API Error: 400\n`;
    expect((await user.ok(["wait", id])).stdout).toBe(failed);
    await user.ok(["send", id, "say better", "--wait"]);
    expect((await user.ok(["wait", id])).stdout).toBe(`${id} waiting_input (prompt)\n`);
    expect((await user.ok(["wait", id, "--turn", "1"])).stdout).toBe(failed);
    const ends: [string[], string][] = [
      [["scripted", "--kind", "autonomous", "fail API Error: 400"], "stopped (failure): API Error: 400"],
      [["scripted", "--kind", "autonomous", "say well"], "stopped (success)"],
      [["--", "sh", "-c", "exit 3"], "failed (exit 3)"],
      [["--timeout", "100ms", ...NAP], "stopped (timeout)"],
    ];
    for (const [args, how] of ends) {
      const session = await user.start(args);
      expect((await user.ok(["wait", session.id])).stdout).toBe(`${session.id} ${how}\n`);
    }
  });

  test("times out with 5, and the session goes on", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(NAP);
    const answer = await user.rollcall(["wait", id, "--timeout", "200ms", "--json"]);
    expect(answer).toMatchObject({ code: 5, error: { code: "timed_out" } });
    expect(await user.get(id)).toMatchObject({ state: "running" });
    await user.ok(["pause", id]);
    const paused = await user.rollcall(["wait", id, "--timeout", "200ms", "--json"]);
    expect([paused.code, paused.error.hint]).toEqual([
      5,
      `Session ${id} is paused; \`rollcall continue ${id}\` lets it go on.`,
    ]);
  });

  test("for many days is not over at once, and for more than anyone means it is refused", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(NAP);
    const waiting = await isWaiting(user, ["wait", id, "--until", "stopped", "--timeout", "30d", "--json"]);
    await user.ok(["end", id]);
    expect(await waiting.answer).toMatchObject({ code: 0, only: { reached: "stopped" } });
    const refused = await user.rollcall(["wait", id, "--timeout", "366d"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/^rollcall: "366d" is not a duration for --timeout\. [^\n]+365d\.\n$/);
  });

  test("for a session that ends without reaching it answers null at once, with 4", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(NAP);
    const waiting = user.rollcall(["wait", id, "--until", "waiting_input", "--json"]);
    await user.ok(["end", id]);
    for (const answer of [await waiting, await user.rollcall(["wait", id, "--until", "running", "--json"])]) {
      expect(answer.code).toBe(4);
      expect(answer.only).toMatchObject({ session: { state: "stopped" }, reached: null });
    }
  });

  test("one that ends without does not hide that another reached it", async () => {
    await using user = newLiveUser();
    const [ends, stays] = [await user.start(["--", "true"]), await atPrompt(user)];
    const answer = await user.rollcall(["wait", ends.id, stays, "--until", "waiting_input", "--json"]);
    expect(answer.code).toBe(4);
    expect(answer.json).toMatchObject({ results: [{ reached: null }, { reached: "waiting_input" }] });
  });

  test("ends when the session is deleted", async () => {
    await using user = newLiveUser();
    const id = await user.create();
    await user.ok(["up"]);
    const waiting = await isWaiting(user, ["wait", id, "--until", "stopped", "--timeout", "20s", "--json"]);
    await user.ok(["delete", id]);
    const answer = await waiting.answer;
    expect(answer).toMatchObject({ code: 3, error: { code: "session_not_found" } });
  });

  test("of many waiters answers each of them", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    const { seq } = (await user.ok(["send", id, "work 1s ; say done", "--json"])).json;
    const args = ["wait", id, "--after", String(seq), "--json"];
    const waiters = await Promise.all(Array.from({ length: 8 }, async () => user.ok(args)));
    expect(waiters.map(({ only }) => only.reached)).toEqual(Array(8).fill("waiting_input"));
  });

  test("takes names and many ids, and refuses what it does not know", async () => {
    await using user = newLiveUser();
    const ids = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => (await user.start(["--name", `n${n}`, "--", "true"])).id),
    );
    const names = ids.map((_, n) => `n${n}`);
    const { results } = (await user.ok(["wait", ...names, "--json"])).json as unknown as {
      results: { session: { id: string } }[];
    };
    expect(results.map(({ session }) => session.id)).toEqual(ids);
    expect(await user.rollcall(["wait", "n0", "nobody"])).toMatchObject({ code: 3 });
    expect(await user.rollcall(["wait", "n0", "--until", "done"])).toMatchObject({ code: 2 });
    expect(await user.rollcall(["wait", "n0", "--after", "x"])).toMatchObject({ code: 2 });
  });

  test("after a seq counts a request that was met on the way", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    const first = await turn(user, id, "ask Bash");
    expect(first).toMatchObject({ reached: "waiting_input", session: { waiting: { for: "permission" } } });
  });

  test("survives nothing but says so when the daemon dies", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(NAP);
    const waiting = await isWaiting(user, ["wait", id, "--until", "stopped", "--json"]);
    await user.killDaemon();
    expect(await waiting.answer).toMatchObject({ code: 1, error: { code: "daemon_failed" } });
  });
});

/** A call of which the daemon has taken the connection. */
async function isWaiting(user: LiveUser, args: readonly string[]): Promise<{ answer: Promise<Answer> }> {
  const daemon = await user.daemonPid();
  const open = () => readdirSync(`/proc/${daemon}/fd`).map((fd) => linkOf(`/proc/${daemon}/fd/${fd}`));
  const before = new Set(open());
  const answer = user.rollcall(args);
  const isNew = (link: string) => link.startsWith("socket:") && !before.has(link);
  await until(() => open().some(isNew), "the daemon to be asked");
  return { answer };
}

/** Empty for one that was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
