import { describe, expect, test } from "vitest";
import { hasCompiler, program, startSession, type TestSession, until } from "./holder-bench.ts";

const probe = (...args: string[]) => [program("probe"), ...args];
const hex = (text: string) => Buffer.from(text).toString("hex");

/** What `probe ask` and `probe ask-split` heard, one line for each question. */
function answers(session: TestSession): string[] {
  const lines = session
    .spooled()
    .toString()
    .matchAll(/heard ([0-9a-f]*)\r\n/g);
  return [...lines].map(([, heard]) => Buffer.from(heard as string, "hex").toString());
}

const REPORT = "state=blocked:app=claude-code:kind=permission:msg=YXBwcm92ZSBCYXNo";
const ANSWER = "\x1b]7501;?1\x07";

describe.skipIf(!hasCompiler)("a terminal", () => {
  test("is the agent's own, with the size that was asked for", async () => {
    await using session = await startSession(probe("terminal"), {
      host: "pty",
      cols: 101,
      rows: 33,
      env: { TERM: "xterm-kitty" },
    });
    await session.ended();
    expect(session.spooled().toString().trim()).toBe(
      "tty=111 own=1 leader=1 front=1 size=101x33 term=xterm-kitty",
    );
  });

  test("takes input byte for byte", async () => {
    const every = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const keys = Buffer.concat([
      every,
      Buffer.from("\x1b[<0;10;5M\x1b[I\x1b[200~a\nb\x1b[201~\x1bx\x1b[1;5C漢字🙂"),
    ]);
    await using session = await startSession(probe("take", String(keys.length)), { host: "pty" });
    await session.says("ready");
    await using client = await session.connect();
    client.holder.input(keys);
    await session.ended();
    expect(session.spooled().toString()).toContain(keys.toString("hex"));
  });

  test("takes a paste of 200 kB", async () => {
    const paste = Buffer.from("0123456789abcdef".repeat(12_800));
    await using session = await startSession(probe("take", String(paste.length)), { host: "pty" });
    await session.says("ready");
    await using client = await session.connect();
    client.holder.input(paste);
    await session.ended();
    expect(session.spooled().includes(paste.toString("hex"))).toBe(true);
  });

  test("never mixes the frames of two senders", async () => {
    const size = 50_000;
    await using session = await startSession(probe("take", String(4 * size)), { host: "pty" });
    await session.says("ready");
    await using one = await session.connect();
    await using two = await session.connect();
    for (const [client, letter] of [
      [one, "a"],
      [two, "b"],
      [one, "c"],
      [two, "d"],
    ] as const)
      client.holder.input(letter.repeat(size));
    await session.ended();
    const [heard = ""] = answers(session);
    expect([...heard.matchAll(/(.)\1*/g)].map(([run]) => run.length)).toEqual([size, size, size, size]);
  });

  test.each([
    ["the status query ended by BEL", "\x1b]7501;?\x07", ANSWER],
    ["the status query ended by ST", "\x1b]7501;?\x1b\\", ANSWER],
    ["DA1", "\x1b[c", "\x1b[?1;2c"],
    ["DA1 with a zero", "\x1b[0c", "\x1b[?1;2c"],
    ["DA2", "\x1b[>c", "\x1b[>0;0;0c"],
    ["DSR 5", "\x1b[5n", "\x1b[0n"],
    ["DSR 6", "\x1b[6n", "\x1b[1;1R"],
  ])("is answered %s, wherever the bytes are cut", async (_, query, answer) => {
    await using session = await startSession(probe("ask-split", hex(query)), { host: "pty" });
    await session.ended();
    expect(answers(session)).toEqual(Array(query.length - 1).fill(answer));
  });

  test.each([
    ["a query inside another string", "\x1bPtmux;\x1b\x1b]7501;?\x07\x1b\\"],
    ["a query that is broken off", "\x1b]7501;?\x18 "],
    ["another terminal's report", "\x1b]7501;?x\x07"],
    ["a private DSR", "\x1b[?6n"],
  ])("gives no answer to %s", async (_, query) => {
    await using session = await startSession(probe("ask", hex(query)), { host: "pty" });
    await session.ended();
    expect(answers(session)).toEqual([""]);
  });

  test("leaves device queries to the terminal of a typist, and answers the status query itself", async () => {
    const queries = "\x1b[c\x1b[>c\x1b[5n\x1b[6n\x1b]7501;?\x07";
    await using session = await startSession(
      ["sh", "-c", `read x; ${program("probe")} ask ${hex(queries)}`],
      {
        host: "pty",
      },
    );
    await using view = await session.connect({ role: "view", types: true });
    view.holder.input("go\n");
    await session.ended();
    expect(answers(session)).toEqual([ANSWER]);
  });

  test("tells a report, wherever its bytes are cut", async () => {
    const bytes = `\x1b]7501;${REPORT}\x07`;
    await using session = await startSession(
      ["sh", "-c", `read x; ${program("probe")} say-split ${hex(bytes)}`],
      {
        host: "pty",
      },
    );
    await using client = await session.connect();
    client.holder.input("go\n");
    await client.has("exit");
    await client.closed();
    const reports = client.messages.filter((message) => message.type === "report");
    expect(reports).toHaveLength(bytes.length - 1);
    const fields = { state: "blocked", app: "claude-code", kind: "permission", msg: "YXBwcm92ZSBCYXNo" };
    for (const report of reports) expect(report).toMatchObject({ fields });
    const { offset } = reports[0] as { offset: number };
    expect(session.spooled().subarray(0, offset).toString().endsWith(`${REPORT}\x07`)).toBe(true);
  });

  test("survives output of chance", async () => {
    const script =
      "stty raw; head -c 3000000 /dev/urandom; printf '\\033\\033]7501;state=idle\\007the end'; sleep 60";
    await using session = await startSession(["sh", "-c", script], { host: "pty" });
    await using view = await session.connect({ role: "view", from: 0 });
    await view.shows("the end");
    expect(view.output().equals(session.spooled())).toBe(true);
    expect((await view.status()).agent.alive).toBe(true);
  });

  test("keeps the reports of helpers apart from the agent's own", async () => {
    const say = (text: string) => `printf '\\033]7501;${text}\\007'; `;
    const script = `${say("state=working:app=claude-code")}${say("state=working:id=a71:title=eA==")}${say("state=done:id=b2")}${say("state=clear:id=a71")}echo ready; sleep 60`;
    await using session = await startSession(["sh", "-c", script], { host: "pty" });
    await session.says("ready");
    await using client = await session.connect();
    const { reports } = await client.status();
    expect(reports.main?.fields).toEqual({ state: "working", app: "claude-code" });
    expect(Object.entries(reports.byId).map(([id, { fields }]) => [id, fields.state])).toEqual([
      ["b2", "done"],
    ]);
  });

  test("tells its status however much helpers report", async () => {
    const script = `const most = "\\x01".repeat(8000);
      for (let i = 0; i < 64; i++) process.stdout.write("\\x1b]7501;state=working:id=n" + i + ":msg=" + most + "\\x07");
      process.stdout.write("ready");
      setTimeout(() => {}, 60_000);`;
    await using session = await startSession([process.execPath, "-e", script], { host: "pty" });
    await session.says("ready");
    await using client = await session.connect();
    const { reports } = await client.status();
    expect(Object.keys(reports.byId).at(-1)).toBe("n63");
    expect(client.isClosed).toBe(false);
  });

  test("tells title and bell, once each, and not the bell that ends a title", async () => {
    const script = `read x; printf '\\033]0;✳ Claude Code\\007\\033]2;✳ Claude Code\\033\\\\'; printf '\\007\\007'; sleep 0.1; echo end`;
    await using session = await startSession(["sh", "-c", script], { host: "pty" });
    await using client = await session.connect();
    client.holder.input("go\n");
    await client.has("exit");
    expect(client.messages.filter(({ type }) => type === "title")).toEqual([
      { type: "title", title: "✳ Claude Code" },
    ]);
    expect(client.messages.filter(({ type }) => type === "bell").length).toBeGreaterThanOrEqual(1);
    expect(client.messages.filter(({ type }) => type === "bell").length).toBeLessThanOrEqual(2);
  });

  test("knows when the last key came, and does not count its own answers", async () => {
    // It asks, and then stays: who has left cannot be asked any more.
    const stays = ["sh", "-c", '"$0" "$@"; exec sleep 1000', ...probe("ask", hex("\x1b[c"))];
    await using session = await startSession(stays, { host: "pty" });
    await using client = await session.connect();
    expect((await client.status()).lastInputMsAgo).toBeNull();
    client.holder.input("k");
    const status = await until(() => client.messages.findLast((m) => m.type === "status"), "a status");
    expect(status.lastOutputMsAgo === null || status.lastOutputMsAgo >= 0).toBe(true);
    expect((await client.status()).lastInputMsAgo).toBeGreaterThanOrEqual(0);
  });
});
