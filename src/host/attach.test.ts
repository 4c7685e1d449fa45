import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { attach, attachCommand, openTerminal } from "./attach-bench.ts";
import { hasCompiler, program, startSession } from "./holder-bench.ts";

const pty = { host: "pty" } as const;
const take = (count: number) => [program("probe"), "take", String(count)];
const sh = (script: string) => ["sh", "-c", script];

const DETACH = "\x1c";

describe.skipIf(!hasCompiler)("an attached terminal", () => {
  test("shows what was written before, then what comes", async () => {
    await using session = await startSession(
      sh("stty -echo; printf 'old '; read x; printf 'new '; read y"),
      pty,
    );
    await session.says("old");
    await using terminal = await attach(session);
    await terminal.shows("old ");
    terminal.type("\n");
    await terminal.shows("old new ");
    expect(terminal.shown()).toBe("old new ");
  });

  test("shows the newest snapshot, then the bytes behind its offset", async () => {
    await using session = await startSession(
      sh("stty -echo; printf 0123456789; read x; printf new; read y"),
      pty,
    );
    await session.says("0123456789");
    for (const offset of [2, 7, 5])
      writeFileSync(join(session.dir, `snapshot-${String(offset).padStart(16, "0")}`), `at ${offset}:`);
    for (const name of ["snapshot-9", "snapshot-0000000000000009.tmp", "snapshot-x000000000000009"])
      writeFileSync(join(session.dir, name), "no snapshot");
    await using terminal = await attach(session);
    terminal.type("\n");
    await terminal.shows("new");
    expect(terminal.shown()).toBe("at 7:789new");
  });

  test("shows all that a full spool still has", async () => {
    const script = `${program("probe")} flood 1500000; printf END; read x`;
    await using session = await startSession(sh(script), { ...pty, spoolBytes: 1024 * 1024 });
    await session.says("END");
    await using terminal = await attach(session);
    await terminal.shows("END");
    expect(terminal.shown()).toBe(session.spooled().toString());
  });

  test("sends keys byte for byte", async () => {
    const every = Buffer.from(Array.from({ length: 256 }, (_, i) => i).filter((byte) => byte !== 0x1c));
    const keys = Buffer.concat([
      every,
      Buffer.from(
        "ä漢字🙂\x1bx\x1b\x1b[A\x1bOP\x1b[1;5C\x1b[<0;10;5M\x1b[M !!\x1b[I\x1b[97;5u\x03\x1a\x16\0",
      ),
      Buffer.from("\x1b[200~a\nb\x1b[201~\x1b]11;rgb:0/0/0\x07\x1bP1$r0m\x1b\\\x1b[?62;c\x1b"),
    ]);
    await using session = await startSession(take(keys.length), pty);
    await session.says("ready");
    await using terminal = await attach(session);
    terminal.type(keys);
    await session.ended();
    expect(session.spooled().toString()).toContain(`heard ${keys.toString("hex")}\r\n`);
    expect(await terminal.left()).toBe(10);
  });

  test("sends keys that come one by one", async () => {
    const keys = "a\x1b[Aé\x1b";
    await using session = await startSession(take(Buffer.byteLength(keys)), pty);
    await session.says("ready");
    await using terminal = await attach(session);
    for (const byte of Buffer.from(keys)) terminal.type(Buffer.from([byte]));
    await session.ended();
    expect(session.spooled().toString()).toContain(`heard ${Buffer.from(keys).toString("hex")}\r\n`);
  });

  test("takes a paste of 200 kB", async () => {
    const paste = Buffer.from(`\x1b[200~${"0123456789abcdef".repeat(12_800)}\x1b[201~`);
    await using session = await startSession(take(paste.length), pty);
    await session.says("ready");
    await using terminal = await attach(session);
    terminal.type(paste);
    await session.ended();
    expect(session.spooled().includes(paste.toString("hex"))).toBe(true);
  });

  test("gives its size to the session, at once and when it changes", async () => {
    await using session = await startSession([program("probe"), "size"], { ...pty, cols: 90, rows: 30 });
    await session.says("90x30");
    await using terminal = await openTerminal(attachCommand(session.dir), { cols: 77, rows: 22 });
    await session.says("77x22");
    await using screen = await terminal.session.connect({ role: "view", types: true, cols: 78, rows: 23 });
    await session.says("78x23");
    screen.holder.resize(100, 40);
    await session.says("100x40");
  });

  test("finds a session whose path is longer than a socket's address", async () => {
    const root = mkdtempSync(join(tmpdir(), "rh-"));
    const dir = join(root, "x".repeat(100), "y".repeat(100));
    {
      await using session = await startSession(sh("printf here; read x"), { ...pty, dir });
      await using terminal = await attach(session);
      await terminal.shows("here");
    }
    rmSync(root, { recursive: true });
  });
});

describe.skipIf(!hasCompiler)("leaving an attached terminal", () => {
  const WAYS: Readonly<Record<string, string>> = {
    "the plain key": DETACH,
    "kitty's key": "\x1b[92;5u",
    "kitty's key with an event": "\x1b[92;5:1u",
    "xterm's other key": "\x1b[27;5;92~",
  };

  test.each(Object.entries(WAYS))("by %s sends what came before and nothing after", async (_, key) => {
    await using session = await startSession(take(3), pty);
    await session.says("ready");
    await using terminal = await attach(session);
    terminal.type(`ab${key}xyz`);
    expect(await terminal.left()).toBe(0);
    await using client = await session.connect();
    expect(await client.status()).toMatchObject({ agent: { alive: true }, viewers: 0, ending: false });
    client.holder.input("c");
    await session.says(`heard ${Buffer.from("abc").toString("hex")}`);
  });

  test("takes no detach out of a paste", async () => {
    const paste = `\x1b[200~a${DETACH}b\x1b[92;5uc\x1b[201~`;
    await using session = await startSession(take(paste.length), pty);
    await session.says("ready");
    await using terminal = await attach(session);
    for (const part of [paste.slice(0, 4), paste.slice(4, 8), paste.slice(8)]) terminal.type(part);
    await session.says(`heard ${Buffer.from(paste).toString("hex")}`);
  });

  test("has another key if it is asked for, in kitty's form too", async () => {
    await using session = await startSession(take(2), pty);
    await session.says("ready");
    for (const key of ["\x1d", "\x1b[93;5u"]) {
      await using terminal = await attach(session, "--detach-key", "29");
      terminal.type(key);
      expect(await terminal.left()).toBe(0);
    }
    await using terminal = await attach(session, "--detach-key", "29");
    terminal.type(`a${DETACH}`);
    await session.says(`heard ${Buffer.from(`a${DETACH}`).toString("hex")}`);
  });

  test.each(["keeper", "view"] as const)("by a signal to the %s is a detach", async (which) => {
    await using session = await startSession(["sleep", "60"], pty);
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      await using terminal = await attach(session);
      process.kill((await terminal.clients())[which], signal);
      expect(await terminal.left()).toBe(0);
    }
    await using client = await session.connect();
    expect(await client.status()).toMatchObject({ agent: { alive: true }, ending: false });
  });

  test("by the end of the agent shows its last words and says so", async () => {
    await using session = await startSession([program("probe"), "last-words"], pty);
    await session.says("ready");
    await using terminal = await attach(session);
    await using client = await session.connect();
    client.holder.end(10_000);
    expect(await terminal.left()).toBe(10);
    expect(terminal.shown()).toBe(session.spooled().toString());
  });

  test("does not wait for children that outlive the agent", async () => {
    const script = "read x; printf bye; setsid sleep 60 & sleep 0.2; exit 3";
    await using session = await startSession(sh(script), { ...pty, keepChildren: true });
    await using terminal = await attach(session);
    terminal.type("\n");
    expect(await terminal.left()).toBe(10);
    expect(terminal.shown()).toContain("bye");
    await using late = await startSession(attachCommand(session.dir), pty);
    expect((await late.ended()).agent.code).toBe(10);
    expect(late.spooled().toString()).toContain("bye");
  });

  test("by the loss of the holder says that it is gone", async () => {
    await using session = await startSession(["sleep", "60"], pty);
    await using terminal = await attach(session);
    process.kill(session.pids.holder, "SIGKILL");
    expect([10, 12]).toContain(await terminal.left());
    await session.ended();
  });
});

describe.skipIf(!hasCompiler)("what cannot be attached", () => {
  test("is a folder without a holder", async () => {
    const dir = mkdtempSync(join(tmpdir(), "rh-"));
    for (const folder of [dir, join(dir, "missing")]) {
      await using terminal = await startSession(attachCommand(folder), pty);
      expect((await terminal.ended()).agent.code).toBe(12);
      expect(terminal.spooled().toString()).toMatch(/^rollcall-attach: no session runs in [^\n]*\n$/);
    }
    rmSync(dir, { recursive: true });
  });

  test("is a session without a terminal", async () => {
    await using session = await startSession(["sleep", "60"]);
    await using terminal = await startSession(attachCommand(session.dir), pty);
    expect((await terminal.ended()).agent.code).toBe(2);
    expect(terminal.spooled().toString()).toBe("rollcall-attach: this session has no terminal\r\n");
  });

  test.each([
    ["no terminal", ["--dir", "/"], /must be a terminal/],
    ["no folder", [], /--dir DIR is needed/],
    ["a key that is none", ["--dir", "/", "--detach-key", "65"], /control character/],
    ["Escape as the key", ["--dir", "/", "--detach-key", "27"], /control character/],
    ["an unknown option", ["--dir", "/", "--nonsense"], /option/],
  ])("is %s", (_, args, sentence) => {
    const [binary = ""] = attachCommand("/");
    const { status, stderr } = spawnSync(binary, args, { encoding: "utf8" });
    expect(status).toBe(2);
    expect(stderr).toMatch(sentence);
    expect(stderr.split("\n")).toHaveLength(2);
  });
});
