import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { connectHolder } from "./holder.ts";
import { hasCompiler, startSession, until } from "./holder-bench.ts";
import type { HolderMessage } from "./holder-message.ts";

const LAST_WORDS = ["sh", "-c", "read x; printf '\\033]7501;state=done\\007'; exit 0"];

describe.skipIf(!hasCompiler)("a holder that leaves", () => {
  test("tells what the agent said before it tells that it is gone", async () => {
    for (let round = 0; round < 20; round++) {
      await using session = await startSession(LAST_WORDS, { host: "pty" });
      await using client = await session.connect();
      client.holder.input("go\n");
      await client.has("tree");
      const told = client.messages.map(({ type }) => type).filter((type) => /report|exit|tree/.test(type));
      expect(told).toEqual(["report", "exit", "tree"]);
    }
  });

  test("takes what a client still says, which costs the client nothing of what it was told", async () => {
    await using session = await startSession(LAST_WORDS, { host: "pty" });
    await using slow = await connectHolder(session.dir, { role: "control", from: 0 });
    slow.input("go\n");
    await session.ended();
    await until(() => !existsSync(join(session.dir, "socket")) || undefined, "the holder to leave");
    // Past the time after which a terminal that was closed is looked at again.
    for (const until = performance.now() + 300; performance.now() < until; await turn()) slow.askStatus();
    const told: HolderMessage[] = [];
    for await (const message of slow) told.push(message);
    expect(told.map(({ type }) => type)).toContain("report");
    expect(told.at(-1)).toMatchObject({ type: "tree", exit: { tree: { state: "empty" } } });
  });

  test("does not wait for a client that never hangs up", async () => {
    await using session = await startSession(LAST_WORDS, { host: "pty" });
    const client = await connectHolder(session.dir, { role: "control", from: 0 });
    client.input("go\n");
    await session.left();
    await client[Symbol.asyncDispose]();
  });
});
