import { describe, expect, test } from "vitest";
import { attach, attachCommand, openTerminal, untilStatus } from "./attach-bench.ts";
import { findProcess, hasCompiler, isAlive, program, startSession, until } from "./holder-bench.ts";

const pty = { host: "pty" } as const;
const take = (count: number) => [program("probe"), "take", String(count)];
const hex = (text: string) => Buffer.from(text).toString("hex");

/** Longer than the client waits for the rest of a key. */
const PAUSE_MS = 80;
const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

describe.skipIf(!hasCompiler)("of several terminals", () => {
  test("the newest types, and the one before it again when that leaves", async () => {
    await using session = await startSession(take(2), pty);
    await using control = await session.connect();
    await using first = await attach(session);
    {
      await using second = await attach(session);
      second.type("b\x1c");
      expect(await second.left()).toBe(0);
    }
    await untilStatus(control, (status) => status.viewers === 1);
    first.type("a");
    await session.says(`heard ${hex("ba")}`);
  });

  test("one that does not type takes over by a key, which is sent", async () => {
    await using session = await startSession(take(5), pty);
    await using control = await session.connect();
    await using first = await attach(session);
    await using second = await attach(session);
    const { typist } = await control.status();
    first.type("12");
    await untilStatus(control, (status) => status.typist !== typist);
    second.type("3");
    await untilStatus(control, (status) => status.typist === typist);
    second.type("4");
    await pause();
    second.type("5");
    await session.says(`heard ${hex("12345")}`);
  });

  test("one that does not type takes nothing over by mouse, focus, arrows or answers", async () => {
    await using session = await startSession(take(1), pty);
    await using control = await session.connect();
    await using first = await attach(session);
    await using second = await attach(session);
    const { typist } = await control.status();
    first.type("\x1b[<0;10;5M\x1b[I\x1b[A\x1b[?62;c\x1b]11;rgb:0/0/0\x07");
    await pause();
    expect((await control.status()).typist).toBe(typist);
    second.type("x");
    await session.says(`heard ${hex("x")}`);
  });

  test("one that takes over by a paste sends all of it", async () => {
    const paste = "\x1b[200~make\n\x1b[201~";
    await using session = await startSession(take(paste.length), pty);
    await using control = await session.connect();
    await using first = await attach(session);
    const { typist } = await control.status();
    await using _second = await attach(session);
    await untilStatus(control, (status) => status.typist !== typist);
    first.type(paste.slice(0, 9));
    await untilStatus(control, (status) => status.typist === typist);
    first.type(paste.slice(9));
    await session.says(`heard ${hex(paste)}`);
  });

  test("one that only watches shows all, never types and never resizes, and can leave", async () => {
    await using session = await startSession(take(1), { ...pty, cols: 90, rows: 30 });
    await session.says("ready");
    await using control = await session.connect();
    await using watcher = await attach(session, "--watch");
    await watcher.shows("ready");
    watcher.type("abc\r");
    await using screen = await watcher.session.connect({ role: "view", types: true, cols: 50, rows: 20 });
    await pause();
    expect(await control.status()).toMatchObject({ typist: null, lastInputMsAgo: null, cols: 90, rows: 30 });
    expect((await screen.status()).cols).toBe(50);
    watcher.type("\x1c");
    expect(await watcher.left()).toBe(0);
  });
});

describe.skipIf(!hasCompiler)("a terminal that fails", () => {
  test("by being closed leaves the session alone", async () => {
    await using session = await startSession(["sleep", "60"], pty);
    await using control = await session.connect();
    // A terminal whose end nobody else tells: only its closing does.
    const attached = attachCommand(session.dir).join(" ");
    await using terminal = await openTerminal(["sh", "-c", `script -qec "${attached}" /dev/null; sleep 60`]);
    await terminal.begun();
    const { keeper, view } = await terminal.clients();
    const parent = findProcess(findProcess(keeper)?.parent ?? 0);
    const scripts = [findProcess(keeper)?.parent ?? 0, parent?.parent ?? 0];
    for (const pid of scripts)
      if (pid !== terminal.session.pids.agent && pid > 1) process.kill(pid, "SIGKILL");
    await control.has("detached");
    await until(() => (!isAlive(keeper) && !isAlive(view)) || undefined, "both to leave");
    expect(await control.status()).toMatchObject({ agent: { alive: true }, viewers: 0, ending: false });
  });

  test("by being slow is dropped, and shows all again when it takes bytes", async () => {
    const script = `${program("probe")} flood-on-key 6000000; printf 'THE END'; exec ${program("probe")} take 1`;
    await using session = await startSession(["sh", "-c", script], pty);
    await using control = await session.connect();
    await using terminal = await attach(session);
    process.kill(terminal.session.pids.holder, "SIGSTOP");
    control.holder.input("k");
    await control.has("detached");
    process.kill(terminal.session.pids.holder, "SIGCONT");
    await terminal.shows("THE END");
    expect(terminal.shown().slice(0, 6_000_000)).toBe(session.spooled().toString().slice(0, 6_000_000));
    // It was the typist, so it is again.
    terminal.type("z");
    await session.says(`heard ${hex("z")}`);
  });

  test("by being stopped shows all again when it goes on", async () => {
    const script = `${program("probe")} flood-on-key 4000000; printf 'THE END'; exec ${program("probe")} take 1`;
    await using session = await startSession(["sh", "-c", script], pty);
    await using control = await session.connect();
    await using terminal = await attach(session);
    const { view } = await terminal.clients();
    process.kill(view, "SIGSTOP");
    control.holder.input("k");
    await control.has("detached");
    process.kill(view, "SIGCONT");
    await terminal.shows("THE END");
    expect(terminal.shown().slice(0, 4_000_000)).toBe(session.spooled().toString().slice(0, 4_000_000));
  });

  test("does not use the processor while nothing happens", async () => {
    await using session = await startSession(["sleep", "60"], pty);
    await using terminal = await attach(session);
    const { keeper, view } = await terminal.clients();
    const ticks = () => [keeper, view].map((pid) => findProcess(pid)?.cpuTicks ?? 0);
    const before = ticks();
    await new Promise((resolve) => setTimeout(resolve, 400));
    for (const [i, now] of ticks().entries()) expect(now - (before[i] ?? 0)).toBeLessThanOrEqual(2);
  });
});
