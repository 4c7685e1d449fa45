import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInChild } from "../testing/run-in-child.ts";
import type { HolderStart } from "./holder.ts";
import {
  floodBytes,
  hasCompiler,
  holderBinary,
  isAlive,
  program,
  startSession as startHeld,
  TestSession,
} from "./holder-bench.ts";
import type { Host } from "./host-facts.ts";

/** The titles of tests that a host does not have to pass, each with its reason. */
export type Exemptions = Readonly<Record<string, string>>;

/** Takes bytes as they are and gives them back, on pipes and in a terminal alike. */
const ECHO = ["sh", "-c", "stty raw -echo 2>/dev/null; echo ready; exec cat"];
/** Reads lines as programs do, and repeats them as they came. */
const LINES = ["sh", "-c", "stty -echo -opost 2>/dev/null; echo ready; exec cat"];
const READY = "ready\n";
const ANY_BYTES = Buffer.from([...Array(256).keys(), ...Buffer.from("é€😀\r\n\t\x1b[31m\0")]);

/** Texts that a person may send, as far as a terminal takes them in one line. */
const TEXTS: readonly string[] = [
  "hello",
  "",
  " ",
  "two\nlines",
  "\n",
  "tab\there",
  "-n --flag 'quoted' \"twice\" $HOME `id` \\ !! #",
  "é€😀 日本語",
  "x".repeat(3000),
];

/** Every promise of a host, kept on real processes by a real holder. */
export function hostContract(host: Host, exemptions: Exemptions = {}): void {
  const titles: string[] = [];
  const promise = (title: string, keep: () => Promise<void>) => {
    titles.push(title);
    const reason = exemptions[title];
    if (reason === undefined) test(title, keep);
    else test.skip(`${title} (not: ${reason})`);
  };
  const start = (command: readonly string[], options: Parameters<typeof startHeld>[1] = {}) =>
    startHeld(command, { host: host.name, graceMs: 300, ...options });

  describe.skipIf(!hasCompiler)(`the ${host.name} host`, () => {
    promise("starts a command with its arguments, environment and folder as they are given", async () => {
      const script = `printf '%s|' "$@" "$CONTRACT" "$PWD"; printf 'done'`;
      const odd = ["a b", "", "é\n$x", "*"];
      await using session = await start(["sh", "-c", script, "sh", ...odd], {
        cwd: "/usr",
        env: { CONTRACT: "x=y z" },
      });
      await session.says("done");
      const said = session.spooled().toString().replaceAll("\r\n", "\n");
      expect(said).toBe([...odd, "x=y z", "/usr", "done"].join("|"));
    });

    promise("says why a command could not be started", async () => {
      await using missing = await start(["/nowhere/at/all"]);
      await using nowhere = await start(["true"], { cwd: "/nowhere/at/all" });
      expect([missing.start, nowhere.start]).toEqual([
        { ok: false, error: "ENOENT", step: "exec" },
        { ok: false, error: "ENOENT", step: "cwd" },
      ]);
    });

    promise("tells the exit code, after all that was said before", async () => {
      await using session = await start([program("probe"), "leave", "7"]);
      const exit = await session.ended();
      expect(exit).toMatchObject({ agent: { code: 7, signal: null }, reason: "exited" });
      expect(session.spooled().toString().trim()).toBe("said before leaving");
    });

    promise("tells the signal that a command died of", async () => {
      await using session = await start(["sh", "-c", "kill -SEGV $$"]);
      expect((await session.ended()).agent).toMatchObject({ code: null, signal: "SIGSEGV" });
    });

    promise("gives out what was written, byte for byte and with its place", async () => {
      const bytes = floodBytes(2_000_000);
      await using session = await start([program("probe"), "flood-on-key", String(bytes.length)]);
      await using client = await session.connect({ role: "control", from: 0 });
      client.holder.input("x");
      await client.has("exit");
      await client.closed();
      expect(client.output().equals(bytes)).toBe(true);
      const outputs = client.messages.filter((message) => message.type === "output");
      let next = 0;
      for (const { offset, bytes: part } of outputs) {
        expect(offset).toBe(next);
        next += part.length;
      }
    });

    promise("gives what is typed to the command byte for byte and in order, whoever types", async () => {
      await using session = await start(ECHO);
      await session.says(READY);
      await using one = await session.connect();
      await using other = await session.connect();
      let expected = READY;
      for (let turn = 0; turn < 20; turn++) {
        const text = `<${turn}>${ANY_BYTES.toString("latin1")}`;
        (turn % 2 === 0 ? one : other).holder.input(Buffer.from(text, "latin1"));
        expected += text;
        await untilLength(session, expected.length);
      }
      expect(session.spooled().toString("latin1")).toBe(expected);
    });

    promise("hands a person's text to a program that reads lines as that text and a line end", async () => {
      await using session = await start(LINES);
      await session.says(READY);
      await using client = await session.connect();
      let expected = READY;
      for (const text of TEXTS) {
        for (const piece of host.encodeText(text, { bracketedPaste: false })) client.holder.input(piece);
        expected += `${text}\n`;
        await untilLength(session, Buffer.byteLength(expected));
      }
      expect(session.spooled().toString()).toBe(expected);
    });

    promise("makes the same pieces of the same text, and loses nothing of it", async () => {
      for (const text of TEXTS) {
        for (const bracketedPaste of [true, false]) {
          const pieces = host.encodeText(text, { bracketedPaste });
          expect(host.encodeText(text, { bracketedPaste })).toEqual(pieces);
          expect(pieces.join("").replaceAll("\r", "\n")).toContain(text);
        }
      }
    });

    promise("ends a command that goes when asked, and proves that nothing is left", async () => {
      await using session = await start(["sh", "-c", "sleep 1000 & echo ready; wait"]);
      await session.says("ready");
      await using client = await session.connect();
      client.holder.end();
      const exit = await session.ended();
      expect(exit).toMatchObject({ agent: { signal: "SIGTERM" }, reason: "asked" });
      expect(exit.tree).toMatchObject({ state: "empty", killed: 0, remaining: [] });
      expect(isAlive(session.pids.agent)).toBe(false);
    });

    promise("ends a command that does not want to go, and says how many had to be killed", async () => {
      await using session = await start([program("stubborn")]);
      await session.says("ready");
      await using client = await session.connect();
      client.holder.end(100);
      const exit = await session.ended();
      expect(exit).toMatchObject({ agent: { signal: "SIGKILL" }, tree: { state: "empty", killed: 1 } });
    });

    promise("outlives who started it, and gives the next one everything that it missed", async () => {
      await using session = await startedByTheDead(host);
      expect(session.pids.agent).toBeGreaterThan(0);
      await session.says("two");
      await using client = await session.connect({ role: "control", from: 0 });
      await client.shows("two");
      expect(client.output().toString().replaceAll("\r\n", "\n")).toBe("one\ntwo\n");
      client.holder.input(host.name === "pty" ? "go\r" : "go\n");
      await client.closed();
      expect((await session.ended()).agent.code).toBe(9);
    });

    promise("lets the next one go on from any place of the output", async () => {
      await using session = await start(ECHO);
      await session.says(READY);
      await using first = await session.connect({ role: "control", from: 0 });
      first.holder.input("0123456789");
      await first.shows("0123456789");
      await first[Symbol.asyncDispose]();
      await using second = await session.connect({ role: "control", from: READY.length + 4 });
      await second.shows("456789");
      expect(second.output().toString()).toBe("456789");
    });

    promise("keeps what was written after everyone is gone, with the end of it", async () => {
      await using session = await start([program("probe"), "flood", "500000"]);
      expect((await session.ended()).tree.state).toBe("empty");
      await session.left();
      expect(session.spooled().equals(floodBytes(500_000))).toBe(true);
    });

    promise("closes the input after what was typed, and the command ends by itself", async () => {
      expect(host.canCloseInput).toBe(true);
      await using session = await start([program("probe"), "echo"]);
      await using client = await session.connect();
      client.holder.input("last words\n");
      client.holder.closeInput();
      expect((await session.ended()).agent.code).toBe(0);
      expect(session.spooled().toString()).toBe("last words\neof\n");
    });

    promise("gives the command a terminal of the size it is told", async () => {
      expect(host.hasScreen).toBe(true);
      await using session = await start(["sh", "-c", "tty && stty size"], { cols: 91, rows: 17 });
      expect((await session.ended()).agent.code).toBe(0);
      expect(session.spooled().toString()).toContain("17 91");
    });

    test("is exempt from promises that exist, and only from those", () => {
      expect(Object.keys(exemptions).filter((title) => !titles.includes(title))).toEqual([]);
    });
  });
}

async function untilLength(session: TestSession, length: number): Promise<void> {
  await expect
    .poll(() => session.spooled().length, { timeout: 20_000, interval: 5 })
    .toBeGreaterThanOrEqual(length);
}

/** A session whose starter was killed as soon as it had started it. */
async function startedByTheDead(host: Host): Promise<TestSession> {
  const dir = mkdtempSync(join(tmpdir(), "rh-"));
  const marker = `dead-${process.pid}-${Date.now()}`;
  const options = {
    binary: holderBinary,
    dir,
    host: host.name,
    cwd: "/",
    command: ["sh", "-c", "stty -echo 2>/dev/null; echo one; echo two; read word; exit 9"],
    env: { ...process.env, ROLLCALL_SESSION: marker },
  };
  const script = `
    import { startHolder } from ${JSON.stringify(join(import.meta.dirname, "holder.ts"))};
    import { writeSync } from "node:fs";
    writeSync(1, JSON.stringify(await startHolder(${JSON.stringify(options)})));
    process.kill(process.pid, "SIGKILL");`;
  const said = await runInChild(script, { mayDie: true });
  return new TestSession(dir, marker, JSON.parse(said) as HolderStart);
}
