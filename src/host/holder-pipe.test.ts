import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { encodeFrame } from "./frames.ts";
import { floodBytes, hasCompiler, program, startSession, until } from "./holder-bench.ts";

const echo = [program("probe"), "echo"];
const MB = 1024 * 1024;

describe.skipIf(!hasCompiler).each(["pipe", "acp"] as const)("the standard streams (%s)", (host) => {
  test("take input that is larger than a frame may be, and the connection stays", async () => {
    await using session = await startSession(["sh", "-c", "wc -c; sleep 100"], { host });
    await using client = await session.connect();
    client.holder.input("\u20ac".repeat(1_000_000));
    client.holder.closeInput();
    await session.says("3000000");
    expect((await client.status()).agent.alive).toBe(true);
  });

  test("stay open while clients come and go, until one closes the input", async () => {
    await using session = await startSession(echo, { host });
    for (const word of ["one", "two", "three"]) {
      await using client = await session.connect();
      client.holder.input(`${word}\n`);
      await client.shows(`${word}\n`);
    }
    expect((await (await session.connect()).status()).agent.alive).toBe(true);
    await using last = await session.connect();
    last.holder.input("four\n");
    last.holder.closeInput();
    expect((await session.ended()).agent.code).toBe(0);
    expect(session.spooled().toString()).toBe("one\ntwo\nthree\nfour\neof\n");
  });

  test("carry megabytes in and out in order", async () => {
    const bytes = floodBytes(6 * MB);
    await using session = await startSession(echo, { host });
    await using client = await session.connect({ role: "control", from: 0 });
    for (let at = 0; at < bytes.length; at += 300_000) client.holder.input(bytes.subarray(at, at + 300_000));
    client.holder.closeInput();
    await client.closed();
    expect(client.output().equals(Buffer.concat([bytes, Buffer.from("eof\n")]))).toBe(true);
  });

  test("make the sender wait while the agent does not read, and nobody else", async () => {
    await using session = await startSession(["sh", "-c", "read x; cat >/dev/null; echo all read"], { host });
    process.kill(session.pids.agent, "SIGSTOP");
    await using sender = await session.connect();
    for (let i = 0; i < 8; i++) sender.holder.input(floodBytes(MB / 2));
    await using other = await session.connect();
    expect((await other.status()).inputPending).toBeLessThanOrEqual(MB);
    process.kill(session.pids.agent, "SIGCONT");
    sender.holder.input("\n");
    sender.holder.closeInput();
    await session.says("all read");
  });

  test("take the input of a sender that has left at once", async () => {
    const bytes = floodBytes(3 * MB);
    await using session = await startSession(echo, { host });
    process.kill(session.pids.agent, "SIGSTOP");
    const sender = await session.connect();
    for (let at = 0; at < bytes.length; at += MB / 2) sender.holder.input(bytes.subarray(at, at + MB / 2));
    const gone = sender[Symbol.asyncDispose]();
    process.kill(session.pids.agent, "SIGCONT");
    await gone;
    await until(() => (session.spooled().length === bytes.length ? true : undefined), "all of it");
    expect(session.spooled().equals(bytes)).toBe(true);
  });

  test("are closed for input when the agent does not want any", async () => {
    await using session = await startSession(["sh", "-c", "exec <&-; echo closed; sleep 60"], { host });
    await session.says("closed");
    await using client = await session.connect();
    client.holder.input(floodBytes(MB));
    client.holder.input("more");
    await client.has("refused", ({ reason }) => reason === "closed");
  });
});

const MALFORMED: Readonly<Record<string, Buffer>> = {
  "an unknown type": encodeFrame("?", "{}"),
  "no greeting": encodeFrame("S"),
  "a greeting that is no JSON": encodeFrame("H", "hello"),
  "a greeting without a role": encodeFrame("H", "{}"),
  "a role that is none": encodeFrame("H", '{"role":"king"}'),
  "a nested greeting": encodeFrame("H", '{"role":"control","x":{}}'),
  "two greetings": Buffer.concat([encodeFrame("H", '{"role":"view"}'), encodeFrame("H", '{"role":"view"}')]),
  "a size of nothing": Buffer.concat([
    encodeFrame("H", '{"role":"view"}'),
    encodeFrame("R", '{"cols":0,"rows":5}'),
  ]),
  "a stream that is none": Buffer.concat([
    encodeFrame("H", '{"role":"control"}'),
    encodeFrame("A", '{"stream":"in","offset":5}'),
  ]),
  "a negative offset": Buffer.concat([
    encodeFrame("H", '{"role":"control"}'),
    encodeFrame("A", '{"stream":"out","offset":-5}'),
  ]),
  "a frame of four gigabytes": Buffer.from([0x48, 0xff, 0xff, 0xff, 0xff]),
  "random bytes": Buffer.from("0c4fe1b2a977", "hex"),
};

describe.skipIf(!hasCompiler)("a client that sends", () => {
  test.each(Object.entries(MALFORMED))("%s is let go, the others are not", async (_, bytes) => {
    await using session = await startSession(echo);
    await using good = await session.connect();
    await good.has("status");
    const bad = connect(join(session.dir, "socket"));
    bad.resume();
    bad.write(bytes);
    await new Promise((resolve) => bad.once("close", resolve));
    expect((await good.status()).agent.alive).toBe(true);
  });

  test("frames of chance are survived", async () => {
    await using session = await startSession([program("stubborn")]);
    let seed = 7501;
    const chance = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return (seed >>> 8) % below;
    };
    const pieces = [
      "{",
      "}",
      '"',
      ":",
      ",",
      "role",
      "view",
      "cols",
      "1",
      "99999999999999999999",
      "null",
      "\0",
      "\\u",
    ];
    const text = () => Array.from({ length: chance(12) }, () => pieces[chance(pieces.length)]).join("");
    const some = () => encodeFrame("HICRTAS?"[chance(8)] as string, text());
    for (let i = 0; i < 200; i++) {
      const client = connect(join(session.dir, "socket"));
      client.on("error", () => {});
      client.resume();
      const greeting = encodeFrame("H", `{"role":"${chance(2) === 0 ? "view" : "control"}","types":true}`);
      client.end(Buffer.concat([greeting, ...Array.from({ length: chance(9) }, some)]));
      await new Promise((resolve) => client.once("close", resolve));
    }
    await using good = await session.connect();
    expect((await good.status()).agent.pid).toBe(session.pids.agent);
  });

  test("a frame byte by byte is understood", async () => {
    await using session = await startSession(echo);
    const slow = connect(join(session.dir, "socket"));
    slow.resume();
    slow.setNoDelay(true);
    const frames = Buffer.concat([
      encodeFrame("H", '{ "role" : "control" , "from" : null }'),
      encodeFrame("I", "bit by bit\n"),
    ]);
    for (const byte of frames) {
      slow.write(Buffer.of(byte));
      await delay(0);
    }
    await session.says("bit by bit");
    slow.destroy();
  });
});
