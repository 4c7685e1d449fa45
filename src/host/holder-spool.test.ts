import { readdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { encodeFrame } from "./frames.ts";
import { floodBytes, hasCompiler, program, startSession, until } from "./holder-bench.ts";
import { readSpool, spoolSegments } from "./holder-files.ts";

const MB = 1024 * 1024;
const SEGMENT = 256 * 1024;
const FLOOD = 20 * MB;
const flood = (bytes: number, ...more: string[]) => [program("probe"), "flood", String(bytes), ...more];
const segments = (dir: string, stream: string) =>
  readdirSync(dir).filter((name) => name.startsWith(`${stream}-`));

describe.skipIf(!hasCompiler)("the spool of a terminal", () => {
  test("holds 20 MB byte for byte, in segments named by their offset", async () => {
    await using session = await startSession(flood(FLOOD), { host: "pty", spoolBytes: 32 * MB });
    await session.ended();
    expect(session.spooled().equals(floodBytes(FLOOD))).toBe(true);
    const names = segments(session.dir, "out").sort();
    expect(names).toHaveLength(FLOOD / SEGMENT);
    expect(names[1]).toBe(`out-${String(SEGMENT).padStart(16, "0")}`);
    expect(names.map((name) => statSync(join(session.dir, name)).size)).toEqual(names.map(() => SEGMENT));
  });

  test("drops its oldest bytes when it is full, says so, and never makes the agent wait", async () => {
    await using session = await startSession(
      ["sh", "-c", `read x; ${flood(4 * MB).join(" ")}; printf "the end"; sleep 60`],
      {
        host: "pty",
        spoolBytes: MB,
      },
    );
    await using client = await session.connect();
    client.holder.input("go\n");
    await client.shows("the end");
    const { out } = await client.status();
    expect(out.high - out.low).toBeLessThanOrEqual(MB);
    expect(out.dropped).toBe(out.low);
    await client.has("dropped", ({ stream, low }) => stream === "out" && low > 0);
    const { low, bytes } = readSpool(session.dir, "out");
    const flooded = Buffer.concat([floodBytes(4 * MB), Buffer.from("the end")]);
    expect(bytes.equals(flooded.subarray(low - out.high))).toBe(true);
  });

  test("lets go of what is acknowledged, in whole segments", async () => {
    await using session = await startSession(["sh", "-c", `${flood(MB + 10).join(" ")}; sleep 60`], {
      host: "pty",
    });
    await until(() => (session.spooled().length === MB + 10 ? true : undefined), "the flood");
    await using client = await session.connect();
    client.holder.acknowledge("out", 2 * SEGMENT + 1);
    expect((await client.status()).out).toEqual({ low: 2 * SEGMENT, high: MB + 10, dropped: 0 });
    client.holder.acknowledge("out", MB + 10);
    expect((await client.status()).out).toEqual({ low: MB, high: MB + 10, dropped: 0 });
    expect(segments(session.dir, "out")).toHaveLength(1);
  });

  test("drops a slow viewer while 20 MB flow, and slows neither the agent nor a quick one", async () => {
    await using session = await startSession(["sh", "-c", `read x; ${flood(FLOOD).join(" ")}; read y`], {
      host: "pty",
      spoolBytes: 32 * MB,
    });
    const slow = connect(join(session.dir, "socket"));
    slow.pause();
    await using quick = await session.connect({ role: "view", from: 0 });
    await using client = await session.connect();
    slow.write(encodeFrame("H", JSON.stringify({ role: "view", from: 0 })));
    await client.has("attached");
    client.holder.input("go\n");
    await client.has("detached");
    await until(() => (quick.output().length >= FLOOD + 4 ? true : undefined), "all bytes at the quick one");
    expect(quick.output().subarray(4).equals(floodBytes(FLOOD))).toBe(true);
    slow.destroy();
  });

  test("gives one in control that is slow all bytes, from the files", async () => {
    await using session = await startSession(["sh", "-c", `${flood(8 * MB).join(" ")}; read x`], {
      host: "pty",
    });
    await until(() => (session.spooled().length === 8 * MB ? true : undefined), "the flood");
    await using client = await session.connect({ role: "control", from: 0 });
    await until(() => (client.output().length === 8 * MB ? true : undefined), "all bytes");
    expect(client.output().equals(floodBytes(8 * MB))).toBe(true);
    const offsets = client.messages.flatMap((m) => (m.type === "output" ? [[m.offset, m.bytes.length]] : []));
    let next = 0;
    for (const [offset = 0, length = 0] of offsets) {
      expect(offset).toBe(next);
      next = offset + length;
    }
  });
});

describe.skipIf(!hasCompiler)("the spool of a pipe", () => {
  test("makes the writer wait when it is full, and loses nothing after acknowledgement", async () => {
    await using session = await startSession(flood(4 * MB), { spoolBytes: MB });
    await until(() => (session.spooled().length === MB ? true : undefined), "a full spool");
    await using client = await session.connect({ role: "control", from: 0 });
    expect((await client.status()).out).toEqual({ low: 0, high: MB, dropped: 0 });
    expect((await client.status()).agent.alive).toBe(true);
    let seen = 0;
    while (!client.isClosed) {
      const length = client.output().length;
      if (length > seen) client.holder.acknowledge("out", length);
      seen = length;
      await delay(5);
    }
    expect(client.output().equals(floodBytes(4 * MB))).toBe(true);
    expect(await session.ended()).toMatchObject({ agent: { code: 0 }, reason: "exited" });
  });

  test("is read segment by segment from any offset, each with its place", async () => {
    await using session = await startSession(flood(MB));
    await session.ended();
    for (const from of [0, 1, SEGMENT - 1, SEGMENT, MB - 1, MB]) {
      const read = [...spoolSegments(session.dir, "out", from)];
      const first = Math.min(from - (from % SEGMENT), MB - SEGMENT);
      expect(read.map(({ low }) => low)).toEqual(read.map((_, index) => first + index * SEGMENT));
      expect(Buffer.concat(read.map(({ bytes }) => bytes)).equals(floodBytes(MB).subarray(first))).toBe(true);
    }
  });

  test("keeps stdout and stderr apart, each complete", async () => {
    const script = `${flood(3 * MB).join(" ")}; ${flood(2 * MB, "err").join(" ")}`;
    await using session = await startSession(["sh", "-c", script]);
    await session.ended();
    expect(session.spooled("out").equals(floodBytes(3 * MB))).toBe(true);
    expect(session.spooled("err").equals(floodBytes(2 * MB))).toBe(true);
  });

  test("gives both streams to who is in control, each by its own offsets", async () => {
    await using session = await startSession(["sh", "-c", "echo one; echo two >&2; read x; echo three >&2"]);
    await session.says("two", "err");
    await using client = await session.connect({ role: "control", from: 0, errFrom: 0 });
    client.holder.input("go\n");
    await client.closed();
    expect([client.output("out").toString(), client.output("err").toString()]).toEqual([
      "one\n",
      "two\nthree\n",
    ]);
  });

  test("that is full when the agent is ended still takes what the pipe holds", async () => {
    await using session = await startSession(flood(4 * MB), { spoolBytes: MB });
    await until(() => (session.spooled().length === MB ? true : undefined), "a full spool");
    process.kill(session.pids.agent, "SIGKILL");
    await session.ended();
    const { bytes } = readSpool(session.dir, "out");
    expect(bytes.length).toBeGreaterThan(MB);
    expect(bytes.equals(floodBytes(bytes.length))).toBe(true);
  });

  test("that is full does not keep the session from being ended", async () => {
    await using session = await startSession(flood(4 * MB), { spoolBytes: MB });
    await until(() => (session.spooled().length === MB ? true : undefined), "a full spool");
    await using client = await session.connect();
    client.holder.end(5000);
    expect((await session.ended()).agent.signal).toBe("SIGTERM");
  });
});
