// What a terminal answers must not reach it again: the answer would become the agent's input.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { attach, splitBinary } from "./attach-bench.ts";
import { hasCompiler, program, startSession, until } from "./holder-bench.ts";

const STATUS = { BEL: "\x1b]7501;?\x07", ST: "\x1b]7501;?\x1b\\" };

const QUERIES: Readonly<Record<string, readonly string[]>> = {
  DA1: ["\x1b[c", "\x1b[0c", "\x1bZ"],
  DA2: ["\x1b[>c", "\x1b[>0c"],
  DA3: ["\x1b[=c", "\x1b[=0c"],
  DSR: ["\x1b[5n", "\x1b[6n", "\x1b[?6n", "\x1b[?996n", "\x1b[?15n"],
  DECRQM: ["\x1b[?2026$p", "\x1b[4$p"],
  XTVERSION: ["\x1b[>q", "\x1b[>0q"],
  "window reports": [
    "\x1b[11t",
    "\x1b[13;2t",
    "\x1b[14t",
    "\x1b[14;2t",
    "\x1b[16t",
    "\x1b[18t",
    "\x1b[19t",
    "\x1b[21t",
  ],
  "kitty's keyboard": ["\x1b[?u"],
  "xterm's keys": ["\x1b[?4m"],
  "graphics attributes": ["\x1b[?1;1;0S"],
  "checksum and presentation": ["\x1b[1;1;1;1;9;9*y", "\x1b[1$w", "\x1b[x"],
  "OSC colours": [
    "\x1b]4;1;?\x07",
    "\x1b]4;1;?;2;?\x1b\\",
    "\x1b]10;?\x07",
    "\x1b]11;?\x1b\\",
    "\x1b]12;?\x07",
    "\x1b]21;foreground=?\x1b\\",
  ],
  clipboard: ["\x1b]52;c;?\x07", "\x1b]52;;?\x1b\\"],
  "OSC 7501": [STATUS.BEL, STATUS.ST],
  "iTerm's": ["\x1b]1337;ReportCellSize\x07"],
  XTGETTCAP: ["\x1bP+q544e\x1b\\", "\x1bP+q544e;436f\x1b\\"],
  DECRQSS: ["\x1bP$qm\x1b\\", '\x1bP$q"p\x1b\\'],
  "kitty's graphics": ["\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"],
  answerback: ["\x05"],
  "the 8-bit forms": ["\u009bc", "\u009b6n", "\u009d11;?\u009c", "\u0090+q544e\u009c"],
  "what is broken off": ["\x1b]11;?\x18", "\x1bP+q544e\x1a"],
};

const HARMLESS: Readonly<Record<string, string>> = {
  text: "plain äöü 漢字 🙂 · « \xa0 end",
  colours: "\x1b[38;2;1;2;3mx\x1b[0m\x1b[4:3m\x1b[58:2::1:2:3m",
  modes: "\x1b[?1049h\x1b[?2004h\x1b[?25l\x1b[>1u\x1b[<u\x1b[=5;1u\x1b[>4;2m\x1b[!p\x1b[?1049l",
  "cursor, title, region": "\x1b[u\x1b[s\x1b[22;0t\x1b[23;0t\x1b[8;40;120t\x1b[2 q\x1b[1;5r\x1b[3;4H",
  titles: "\x1b]0;? what is it\x07\x1b]2;?\x1b\\\x1b]8;;http://a/?b=?;c\x07link\x1b]8;;\x07",
  "colours that are set": "\x1b]11;rgb:00/00/00\x07\x1b]4;1;#fff\x1b\\\x1b]52;c;aGk=\x07\x1b]104\x07",
  reports: "\x1b]7501;state=idle:app=x\x07\x1b]133;A\x07\x1b]9;4;1;?\x07",
  strings: "\x1bP1;2|17/17\x1b\\\x1bPq#0;2;0;0;0~-\x1b\\\x1b^pm\x1b\\\x1b_Ga=T,f=24;AAAA\x1b\\\x1bXsos\x1b\\",
  "other escapes": "\x1b(B\x1b)0\x1b7\x1b8\x1b=\x1b>\x1bM\x1bD\x1b#8\x1b%G\x0e\x0f\x1bc",
  "a cut sequence": "\x1b[1\x18m\x1b[2\x1b[3mx\x1b\x1b[0m",
  "controls inside a sequence": "\x1b[1\r\nm",
};

type Mode = "all" | "status" | "none" | "late all" | "keys";

/** The results of `split`, one list of different ones for each input. */
function split(mode: Mode, inputs: readonly string[]): string[][] {
  const lines = inputs.map((input) => `${mode} ${Buffer.from(input).toString("hex")}\n`);
  const out = execFileSync(splitBinary, { input: lines.join("") }).toString();
  return out
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split(" "));
}

const hex = (text: string) => Buffer.from(text).toString("hex");

describe.skipIf(!hasCompiler)("the filter, wherever the bytes are cut", () => {
  test.each(Object.entries(QUERIES))("drops %s from what is old", (_, queries) => {
    const inputs = queries.map((query) => `before${query}after${query}${query}`);
    for (const results of split("all", inputs)) expect(results).toEqual([hex("beforeafter")]);
  });

  test.each(Object.entries(QUERIES))("lets the terminal of who types answer %s", (name, queries) => {
    const inputs = queries.map((query) => `before${query}after`);
    const expected = name === "OSC 7501" ? inputs.map(() => "beforeafter") : inputs;
    expect(split("status", inputs)).toEqual(expected.map((text) => [hex(text)]));
  });

  test.each(Object.entries(HARMLESS))("passes %s unchanged", (_, bytes) => {
    const once = [hex(`a${bytes}b`)];
    // A control inside a sequence is done before it: nothing else may change its place.
    const moved = [hex(`a${bytes.replace("\x1b[1\r\n", "\r\n\x1b[1")}b`)];
    for (const mode of ["all", "status", "none"] as const)
      expect([[once], [moved]]).toContainEqual(split(mode, [`a${bytes}b`]));
  });

  test("drops a query that another sequence breaks off, and not that sequence", () => {
    const inputs = ["a\x1b]11;?\x1b[1mb", "a\x1bP+q544e\x1b]0;t\x07b", "a\x1b]11;?\x1b]11;?\x07\x1b[1mb"];
    const left = ["a\x1b[1mb", "a\x1b]0;t\x07b", "a\x1b[1mb"];
    expect(split("all", inputs)).toEqual(left.map((text) => [hex(text)]));
  });

  test("drops a query whose ESC went out alone, and makes the terminal forget it", () => {
    for (const query of ["\x1b[c", "\x1b]11;?\x07", "\x1bP+q544e\x1b\\"]) {
      const [results] = split("late all", [`a${query}b`]);
      const cancelled = hex("a\x1b\x18b");
      const withTerminator = [hex("a\x1b\x18\x1b\\b"), hex("a\x1b\\b")];
      for (const result of results ?? []) expect([hex("ab"), cancelled, ...withTerminator]).toContain(result);
      expect(results).toContain(cancelled);
    }
  });

  test("holds back no more than a short part of a long string", () => {
    const long = "x".repeat(700);
    const passed = [
      `\x1b]52;c;${long}\x07`,
      `\x1b]0;${long}\x07`,
      `\x1bPq${long}\x1b\\`,
      `\x1b[${"1;".repeat(300)}m`,
    ];
    expect(split("all", passed)).toEqual(passed.map((text) => [hex(text)]));
    const asking = `\x1b]4${";1;?".repeat(150)}\x07`;
    expect(split("all", [`a${asking}b`, `a${asking.slice(0, -1)}\x1b\\b`])).toEqual([
      [hex("ab")],
      [hex("ab")],
    ]);
  });

  test("gives the same for bytes of chance, and loses nothing when nothing is to be dropped", () => {
    const alphabet = [
      "\x1b",
      "[",
      "]",
      "P",
      "_",
      "\\",
      "?",
      ";",
      "1",
      "0",
      "c",
      "n",
      "q",
      "$",
      "+",
      ">",
      "\x07",
      "\x18",
      "\u009b",
      "é",
      "G",
      "a=q",
    ];
    let seed = 7;
    const chance = (most: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return Math.floor((seed / 2147483648) * most);
    };
    const inputs = Array.from({ length: 1500 }, () =>
      Array.from({ length: 1 + chance(24) }, () => alphabet[chance(alphabet.length)]).join(""),
    );
    for (const mode of ["all", "status"] as const)
      for (const [i, results] of split(mode, inputs).entries())
        expect([inputs[i], results.length]).toEqual([inputs[i], 1]);
  });
});

describe.skipIf(!hasCompiler)("keys, wherever the bytes are cut", () => {
  test.each([
    ["a letter", "a", "key"],
    ["Escape alone", "\x1b", "key"],
    ["an arrow", "\x1b[A", ""],
    ["a function key", "\x1bOP", ""],
    ["Meta and a letter", "\x1bx", ""],
    ["a mouse report", "\x1b[<0;10;5M\x1b[<0;10;5m\x1b[M !!", ""],
    ["focus", "\x1b[I\x1b[O", ""],
    [
      "answers",
      "\x1b[?62;c\x1b[>1;1;0c\x1b]11;rgb:0/0/0\x07\x1b]10;x\x1b\\\x1bP1$r0m\x1b\\\x1b[?1u\x1b[1;1R\x1b[?2026;2$y\x1b_Gi=1;OK\x1b\\",
      "",
    ],
    ["kitty's letter", "\x1b[97u", "key"],
    ["kitty's letter let go", "\x1b[97;1:3u", ""],
    ["kitty's Shift", "\x1b[57441;2u", ""],
    ["a paste", "\x1b[200~x\x1b[201~", "key"],
    ["a detach in a paste", "\x1b[200~\x1c\x1b[92;5u\x1b[20\x1b[201~", "key"],
    ["another key with control", "\x1b[92;7u\x1b[92u\x1b[91;5u\x1b[27;3;92~", "key"],
    ["the detach key let go", "\x1b[92;5:3u", ""],
  ])("pass on %s, and know whether it counts", (_, bytes, counts) => {
    expect(split("keys", [bytes])).toEqual([[`${hex(bytes)}:${counts}`]]);
  });

  test.each([
    "\x1c",
    "\x1b[92;5u",
    "\x1b[92;5:1u",
    "\x1b[92;5:2u",
    "\x1b[92;69u",
    "\x1b[92;197u",
    "\x1b[92:124;6u",
    "\x1b[1078::92;5u",
    "\x1b[92;5;28u",
    "\x1b[27;5;92~",
  ])("%j detaches", (key) => {
    expect(split("keys", [`a${key}`, `\x1b[200~x\x1b[201~${key}`])).toEqual([
      [`${hex("a")}:detach`],
      [`${hex("\x1b[200~x\x1b[201~")}:detach`],
    ]);
  });
});

/** An agent that writes bytes when it hears a line, and shows all that it hears then. */
const asking = (bytes: string) => {
  const script = `stty -echo; read x; ${program("probe")} ask ${hex(bytes)}; read y`;
  return ["sh", "-c", script];
};

describe.skipIf(!hasCompiler)("queries of a session", () => {
  const heard = (text: string) => /heard ([0-9a-f]*)\r\n/.exec(text)?.[1];

  test("that are old reach no terminal that is attached later", async () => {
    const groups = Object.values(QUERIES).filter(([first]) => first !== "\x05");
    // Heard at once, so that only what comes later is left to hear.
    const ask = groups.map((queries) => `${program("probe")} ask ${hex(`<${queries.join("")}>`)}; `);
    const script = `${ask.join("")}printf ready; exec ${program("probe")} take 1`;
    await using session = await startSession(["sh", "-c", script], { host: "pty" });
    await session.says("ready");
    await using terminal = await attach(session);
    await terminal.shows("ready");
    for (const query of groups.flat()) expect(terminal.shown()).not.toContain(query);
    expect(terminal.shown().split("<>")).toHaveLength(groups.length + 1);
    // The terminal answers DA1 as any would: nothing of it may have come to the agent.
    terminal.type("k");
    await session.says(`heard ${hex("k")}`);
  });

  test("that are new go to who types, but for the one that the holder answers", async () => {
    await using session = await startSession(
      asking(`<\x1b[c\x1b[?u\x1b]11;?\x07${STATUS.BEL}${STATUS.ST}>`),
      { host: "pty" },
    );
    await using watcher = await attach(session, "--watch");
    await using typist = await attach(session);
    typist.type("\n");
    const answered = await until(() => heard(typist.shown()), "the answers");
    await watcher.shows(answered);
    expect(typist.shown()).toContain("<\x1b[c\x1b[?u\x1b]11;?\x07>");
    expect(watcher.shown()).toContain("<>");
    // The terminal of the typist answered once, the holder twice, and the watcher's not at all.
    const answers = Buffer.from(answered, "hex").toString();
    expect(answers.split("\x1b[?1;2c")).toHaveLength(2);
    expect(answers.split("\x1b]7501;?1\x07")).toHaveLength(3);
  });
});
