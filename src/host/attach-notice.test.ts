import { describe, expect, test } from "vitest";
import { attach, untilStatus } from "./attach-bench.ts";
import { hasCompiler, program, startSession, until } from "./holder-bench.ts";

const pty = { host: "pty" } as const;
const sh = (script: string) => ["sh", "-c", script];
const LINE = ["--line", "detach with the key"];
const CLEAR = "\x1b[H\x1b[2J";

describe.skipIf(!hasCompiler)("the line of an attached terminal", () => {
  test("is shown over the screen, and a key takes it away and draws the screen anew", async () => {
    await using session = await startSession(
      sh("stty -echo; printf before; read x; printf after; read y"),
      pty,
    );
    await session.says("before");
    await using terminal = await attach(session, ...LINE);
    await terminal.shows("\x1b[7m detach with the key ");
    terminal.type("\n");
    await terminal.shows("beforeafter");
    expect(terminal.shown()).toBe("beforeafter");
  });

  test("leaves by itself after a while", async () => {
    await using session = await startSession(sh("printf before; read x"), pty);
    await session.says("before");
    await using terminal = await attach(session, ...LINE);
    const draws = () => terminal.received().toString("latin1").split(CLEAR).length - 1;
    await until(() => draws() === 2 || undefined, "the screen to be drawn anew");
    await terminal.shows("before");
    expect(terminal.shown()).toBe("before");
  });

  test("loses no key that is typed while it goes, and gives the typing to nobody else", async () => {
    const keys = "abcdefghijklmnop";
    await using session = await startSession([program("probe"), "take", String(keys.length)], pty);
    await session.says("ready");
    await using control = await session.connect();
    await using _other = await attach(session);
    await using terminal = await attach(session, ...LINE);
    const { typist } = await control.status();
    for (const key of keys) terminal.type(key);
    await session.says(`heard ${Buffer.from(keys).toString("hex")}`);
    expect(typist).not.toBeNull();
  });

  test("says when another terminal types, and what is typed here takes over", async () => {
    await using session = await startSession([program("probe"), "take", "1"], pty);
    await session.says("ready");
    await using control = await session.connect();
    await using first = await attach(session, "--watch-line", "another types");
    await untilStatus(control, (status) => status.typist !== null);
    await using _second = await attach(session);
    await first.shows("\x1b[7m another types ");
    first.type("x");
    await session.says(`heard ${Buffer.from("x").toString("hex")}`);
  });

  test("is gone from the last screen of a session that ends", async () => {
    await using session = await startSession(sh("printf before; read x; printf bye"), pty);
    await session.says("before");
    await using control = await session.connect();
    await using terminal = await attach(session, ...LINE);
    await terminal.shows(" detach with the key ");
    control.holder.input("\n");
    expect(await terminal.left()).toBe(10);
    expect(terminal.shown()).toContain("bye");
    // Where the holder has left already the screen cannot be drawn anew, and the row is only cleared.
    const [, ...behind] = terminal.shown().split(" detach with the key ");
    if (behind.length > 0) expect(behind.at(-1)).toContain("\x1b[999;1H\x1b[2K\x1b8");
  });
});
