import { closeSync, openSync, readdirSync, readlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { endByFile } from "./holder.ts";
import { hasCompiler, program, startSession } from "./holder-bench.ts";

/** Ends in order, with 5, but not within a grace of milliseconds. */
const SLOW = "trap 'sleep 0.5; exit 5' TERM; echo ready; while :; do sleep 0.02; done";

describe.skipIf(!hasCompiler)("the control file", () => {
  test("is seen without an inotify instance, of which a user has only 128", async () => {
    await using session = await startSession([program("stubborn")]);
    await using client = await session.connect();
    const descriptors = `/proc/${session.pids.holder}/fd`;
    const targets = readdirSync(descriptors).map((fd) => readlinkSync(join(descriptors, fd)));
    expect(targets).toContain(session.dir);
    expect(targets).not.toContain("anon_inode:inotify");
    await endByFile(session.dir, 60_000);
    // Two answers are a whole round of its loop: no clock had to bring it to look.
    await client.status();
    expect((await client.status()).ending).toBe(true);
  });

  test("is read when its writer has closed it, however slowly it was written", async () => {
    await using session = await startSession(["sh", "-c", SLOW], { graceMs: 0 });
    await session.says("ready");
    await using client = await session.connect();
    const file = openSync(join(session.dir, "end"), "w");
    for (const part of ["6", "00", "00"]) {
      expect((await client.status()).ending).toBe(false);
      writeSync(file, part);
    }
    expect((await client.status()).ending).toBe(false);
    closeSync(file);
    expect(await session.ended()).toMatchObject({ agent: { code: 5 }, reason: "asked", tree: { killed: 0 } });
  });

  test("may be empty, which means the grace that the session was started with", async () => {
    await using session = await startSession(["sh", "-c", SLOW], { graceMs: 60_000 });
    await session.says("ready");
    closeSync(openSync(join(session.dir, "end"), "w"));
    expect(await session.ended()).toMatchObject({ agent: { code: 5 }, reason: "asked" });
  });

  test("may be written over with a shorter grace", async () => {
    await using session = await startSession([program("stubborn")]);
    await session.says("ready");
    await using client = await session.connect();
    await endByFile(session.dir, 60_000);
    await client.status();
    expect((await client.status()).ending).toBe(true);
    writeFileSync(join(session.dir, "end"), "0");
    expect(await session.ended()).toMatchObject({ agent: { signal: "SIGKILL" }, reason: "asked" });
  });
});
