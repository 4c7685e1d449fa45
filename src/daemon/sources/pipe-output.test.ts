import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import type { GivenFacts } from "../../testing/session/ports.ts";
import { type SessionPlace, sessionPlace } from "../../testing/session/test-session.ts";
import { PipeOutput } from "./pipe-output.ts";

useFakeTime();

/** An agent whose lines are texts that it says. */
const STREAM: GivenFacts = {
  mode: {
    sources: {
      stream: {
        parse: (line) => ({
          entries: line.startsWith("#")
            ? []
            : [{ role: "assistant", kind: "text", text: line.trim(), tool: null }],
        }),
      },
    },
  },
};

async function outputPlace(given: GivenFacts = {}) {
  const place: SessionPlace = await sessionPlace({ ...given, launch: { host: "pipe" } });
  const daemon = (consumed = { out: 0, err: 0 }) => {
    const session = place.daemon();
    const output = new PipeOutput(session, consumed);
    const write = (text: string, offset = 0, stream: "out" | "err" = "out") =>
      output.take({ type: "output", stream, offset, bytes: Buffer.from(text) });
    return { session, output, write, sent: session.connection.sent };
  };
  return { place, daemon, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
}

const acknowledged = (offset: number, stream = "out") => `A ${JSON.stringify({ stream, offset })}`;

test("lines that come within 50 ms are one entry, acknowledged when it is in the record", async () => {
  await using at = await outputPlace();
  const { session, write, sent } = at.daemon();
  await write("one\n");
  await pass(49);
  await write("two\n", 4);
  expect(sent.all).toEqual([]);
  await pass(1);
  expect(await sent.first(1)).toEqual([acknowledged(8)]);
  expect(await session.said()).toEqual(["assistant: one\ntwo\n"]);
});

test("a line that is not whole waits for its end, and is left to whoever comes back", async () => {
  await using at = await outputPlace();
  const { session, output, write } = at.daemon();
  await write("one\ntw");
  await output.letGo();
  expect([await session.said(), output.from.out]).toEqual([["assistant: one\n"], 6]);
});

test("the last line counts without its end when all is over", async () => {
  await using at = await outputPlace();
  const { session, output, write } = at.daemon();
  await write("one\ntwo");
  await output.finish();
  expect(await session.said()).toEqual(["assistant: one\ntwo"]);
});

test("large output is kept at once", async () => {
  await using at = await outputPlace();
  const { write, sent } = at.daemon();
  await write(`${"x".repeat(70_000)}\n`);
  expect([sent.all.length > 0, vi.getTimerCount()]).toEqual([true, 0]);
});

test("bytes that came already are not taken again", async () => {
  await using at = await outputPlace();
  const { session, output, write } = at.daemon();
  await write("one\n");
  await write("one\ntwo\n");
  await output.finish();
  expect(await session.said()).toEqual(["assistant: one\ntwo\n"]);
});

test("the error output of a plain command is in its transcript, with a place of its own", async () => {
  await using at = await outputPlace();
  const { session, output, write } = at.daemon();
  await write("fine\n");
  await write("oops\n", 0, "err");
  await output.finish();
  expect(await session.said()).toHaveLength(2);
  expect(session.connection.sent.all).toEqual([acknowledged(5), acknowledged(5, "err")]);
});

test("each line of an agent's stream is parsed, noted and acknowledged, also one that says nothing", async () => {
  await using at = await outputPlace(STREAM);
  const { session, write, sent } = at.daemon();
  await write("one\n# quiet\n");
  expect(sent.all).toEqual([acknowledged(12)]);
  expect(await session.said()).toEqual(["assistant: one"]);
  expect(JSON.parse(readFileSync(join(at.place.folder, "consumed"), "utf8"))).toMatchObject({ out: 12 });
});

test("a line that answers a text is parsed behind what the text itself implies", async () => {
  await using at = await outputPlace(STREAM);
  const { session, write } = at.daemon();
  const implied = Promise.withResolvers<void>();
  session.delivery.implied = async () => implied.promise;
  const written = write("answer\n");
  await idle();
  expect(await session.said()).toEqual([]);
  implied.resolve();
  await written;
  expect(await session.said()).toEqual(["assistant: answer"]);
});

test("a daemon that comes back goes on behind what was consumed or noted, whichever is more", async () => {
  await using at = await outputPlace(STREAM);
  await at.daemon().write("one\n# quiet\n");
  expect(at.daemon({ out: 4, err: 3 }).output.from).toEqual({ out: 12, err: 3 });
  expect(at.daemon({ out: 20, err: 0 }).output.from.out).toBe(20);
});

test("a line of a stream that is too long is not parsed, and told once", async () => {
  await using at = await outputPlace(STREAM);
  const { session, write } = at.daemon();
  const long = "x".repeat(9 * 1024 * 1024);
  await write(long);
  await write("\nnext\n", long.length);
  const said = await session.said();
  expect(said.map((text) => text.includes("more than 8 MB"))).toEqual([true, false]);
  expect(said[1]?.slice(0, 100)).toBe("assistant: next");
});

test("lines that could not be kept are kept a second later, in order, and acknowledged only then", async () => {
  await using at = await outputPlace(STREAM);
  const { session, write, sent } = at.daemon();
  const { parsed } = session.intake;
  session.intake.parsed = () => Promise.reject(new Error("the disk is full"));
  await write("one\n");
  session.intake.parsed = parsed;
  await pass(999);
  await idle();
  expect([sent.all, await session.said()]).toEqual([[], []]);
  await pass(1);
  expect(await sent.first(1)).toEqual([acknowledged(4)]);
  await write("two\n", 4);
  expect(await session.said()).toEqual(["assistant: one", "assistant: two"]);
});

test("the end of a stream is parsed once all is over, where its agent has something to say then", async () => {
  const end = () => ({ entries: [{ role: "assistant", kind: "text", text: "bye", tool: null }] }) as const;
  const stream = { parse: () => ({}), end };
  await using at = await outputPlace({ mode: { sources: { stream } } });
  const { session, output, write } = at.daemon();
  await write("one\n");
  expect(await session.said()).toEqual([]);
  await output.finish();
  await output.finish();
  expect(await session.said()).toEqual(["assistant: bye"]);
});

test("a line that is far too long is told once, however many pieces it comes in", async () => {
  await using at = await outputPlace(STREAM);
  const { session, write } = at.daemon();
  const long = "x".repeat(9 * 1024 * 1024);
  await write(long);
  await write(long, long.length);
  await write("\n", 2 * long.length);
  expect((await session.said()).filter((text) => text.includes("more than 8 MB"))).toHaveLength(1);
});
