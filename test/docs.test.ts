import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { HOOKS } from "../src/cli/commands/hook.ts";
import type { Command } from "../src/cli/framework/command.ts";
import { allCommands, findCommand } from "../src/cli/framework/commands.ts";
import { ERRORS } from "../src/domain/errors.ts";
import { REFUSALS } from "../src/domain/session/resume.ts";
import { SETTINGS } from "../src/home/settings.ts";
import * as library from "../src/index.ts";
import { Rollcall } from "../src/record/rollcall.ts";
import { tempWorld, type World } from "../src/testing/temp-rollcall.ts";
import { hookExamples } from "./hook-examples.ts";

const root = join(import.meta.dirname, "..");
const docs = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ...markdownBelow("docs")].filter((path) =>
  existsSync(join(root, path)),
);
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
const LATER = /\bsteps? [2-8]\b/;

/** The facts that the docs are held against, taken from the code. */
const commands = new Map<string, Command>();
const fields = new Set<string>();

beforeAll(async () => {
  for (const { name, aliases = [], load } of allCommands()) {
    const { command } = await load();
    for (const known of [name, ...aliases]) commands.set(known, command);
  }
  using world = tempWorld();
  for (const shape of await realShapes(world)) for (const field of pathsOf(shape)) fields.add(field);
});

describe("the docs", () => {
  test.each(docs)("%s names only what exists", (path) => {
    expect(problemsIn(read(path), path)).toEqual([]);
  });

  test("would be caught if they did not", () => {
    const planted = [
      "Use `rollcall fly`, `rollcall list --wings` and `rollcall hook post-delegate`, or `rollcall dashboard` in step 7.",
      "- `rollcall update --phase` is fine, `--wings` is not.",
      "See `src/domain/wings.ts`, `noSuchFunction()`, `rollcall.fly()`, `Session.load()`, `npm run fly`, `store_winged`.",
      "[here](wings.md), [there](ARCHITECTURE.md#wings), [good](ARCHITECTURE.md#invariants).",
    ].join("\n\n");
    expect(problemsIn(planted.replace("in step 7", "now"), "docs/planted.md")).toEqual([
      "there is no command `rollcall fly`",
      "`rollcall list` has no --wings",
      "there is no hook post-delegate",
      "there is no command `rollcall dashboard`",
      "`rollcall update` has no --wings",
      "there is no file src/domain/wings.ts",
      "the library has no noSuchFunction()",
      "the library has no rollcall.fly()",
      "there is no `npm run fly`",
      "there is no error store_winged",
      "the link wings.md leads nowhere",
      "the link ARCHITECTURE.md#wings leads nowhere",
    ]);
    expect(problemsIn(planted.split("\n\n")[0] as string, "docs/planted.md")).toEqual([]);
  });
});

describe("docs/requirements.md", () => {
  const rows = existsSync(join(root, "docs/requirements.md"))
    ? requirementRows(read("docs/requirements.md"))
    : [];

  test("gives every requirement a document, a place and a known status", () => {
    expect(rows.length).toBeGreaterThan(150);
    expect(rows.flatMap(rowProblems)).toEqual([]);
    expect(new Set(rows.map(({ document }) => document))).toEqual(
      new Set(["000", "001", "002", "003", "004"]),
    );
  });

  test("would be caught with a wrong field, word or status", () => {
    const planted = [
      "| 000 | a field | `wing_span`, `usage.tokens_input`, `resources.wings` | done |",
      "| 005 | a status | `state` | soon |",
      "| 001 | no link | `state` | decided otherwise |",
      "| 002 | a later command | `rollcall fly` | step 3 |",
    ];
    expect(requirementRows(planted.join("\n")).flatMap(rowProblems)).toEqual([
      "a field: there is no field or word wing_span",
      "a field: there is no field or word resources.wings",
      "a status: 005 is no document",
      "a status: soon is no status",
      "no link: decided otherwise is no status",
    ]);
  });

  test("has every word of the lists that the documents fix", () => {
    const { STATES, PHASES, KINDS, CHANNELS, STATUSES, OUTCOMES } = library;
    const text = rows.map(({ requirement, where }) => `${requirement} ${where}`).join("\n");
    const missing = [...STATES, ...PHASES, ...KINDS, ...CHANNELS, ...STATUSES, ...OUTCOMES].filter(
      (word) => !new RegExp(`\\b${word}\\b`).test(text),
    );
    expect(missing).toEqual([]);
  });

  test("names the fifteen tests of document 001, each of which exists", () => {
    const named = rows.flatMap(({ requirement }) => /^`(test_\w+)`$/.exec(requirement)?.[1] ?? []);
    const written = [...read("src/record/document-001.test.ts").matchAll(/test\("(test_\w+)"/g)];
    expect(named).toHaveLength(15);
    expect(named.sort()).toEqual(written.map((match) => match[1]).sort());
  });
});

describe("docs/operations.md", () => {
  test("lists every setting with its default and whether a project may set it", () => {
    const listed = tableRows(section(read("docs/operations.md"), "Settings")).slice(1);
    const expected = Object.entries(SETTINGS).map(([name, { default: value, inProject }]) => [
      name,
      name === "machine"
        ? "the host name"
        : typeof value === "object" || value === ""
          ? "none"
          : String(value),
      inProject ? "yes" : "no",
    ]);
    expect(listed.map((cells) => cells.slice(0, 3).map((cell) => cell.replaceAll("`", "")))).toEqual(
      expected,
    );
  });
});

describe("docs/GLOSSARY.md", () => {
  test("has only fields of the record among those that were renamed", () => {
    const [, ...rows] = tableRows(section(read("docs/GLOSSARY.md"), "Renamed fields"));
    const names = rows.flatMap(([first = ""]) => spansOf(first));
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !fields.has(name))).toEqual([]);
  });
});

/** Everything that a page says and that is not so. */
function problemsIn(markdown: string, path: string): string[] {
  const fences = [...markdown.matchAll(/^```(\w*)\n(.*?)^```/gms)];
  const shell = fences
    .filter(([, language]) => language === "sh")
    .flatMap(([, , code = ""]) => code.split("\n"));
  const prose = markdown.replaceAll(/^```.*?^```/gms, "");
  const said = blocksOf(prose).filter((block) => !isLater(block));
  return [
    ...shell
      .filter((line) => /^rollcall\b/.test(line))
      .flatMap((line) => callProblems(line.split(" #")[0] ?? "")),
    ...said.flatMap((block) => spanProblems(spansOf(claimOf(block)))),
    ...linksOf(prose).flatMap((link) => linkProblems(link, path)),
  ];
}

/** In a table of requirements the status decides; elsewhere a block that names a later step speaks of that step. */
function isLater(block: string): boolean {
  const row = requirementRows(block)[0];
  return LATER.test(row ? row.status : block);
}

/** The words of a requirement are its document's; ours are where it lives. */
function claimOf(block: string): string {
  return requirementRows(block)[0]?.where ?? block;
}

/** Paragraphs on one line, and each row of a table and item of a list on its own. */
function blocksOf(prose: string): string[] {
  return prose
    .split(/\n{2,}|\n(?=\||\s*- |\s*\d+\. |#)/)
    .map((block) => block.replaceAll(/\s*\n\s*/g, " "))
    .filter((block) => block !== "");
}

function spansOf(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
}

function spanProblems(spans: readonly string[]): string[] {
  let command: string | undefined;
  return spans.flatMap((span) => {
    if (/^rollcall( |$)/.test(span)) {
      command = span.split(" ")[1];
      return callProblems(span);
    }
    if (/^--[a-z]/.test(span)) return flagProblems(command, span.split(" ")[0] as string);
    if (/^([A-Za-z]+\.)?[A-Za-z]+\(\)$/.test(span))
      return isFunction(span) ? [] : [`the library has no ${span}`];
    if (/^(src|test|bench|bin|scripts|docs|native|web)\/[\w./-]*$/.test(span))
      return existsSync(join(root, span)) ? [] : [`there is no file ${span}`];
    const script = /^npm run ([\w-]+)/.exec(span)?.[1];
    if (script !== undefined) return script in scripts ? [] : [`there is no \`npm run ${script}\``];
    if (/^store_\w+$/.test(span)) return span in ERRORS ? [] : [`there is no error ${span}`];
    return [];
  });
}

function callProblems(call: string): string[] {
  // What comes after `--` is a command of someone else.
  const [, name, ...words] = (call.split(" -- ")[0] as string).trim().split(/\s+/);
  if (name === undefined || name.startsWith("-")) return [];
  if (!findCommand(name)) return [`there is no command \`rollcall ${name}\``];
  const isHook = name === "hook" && words[0] !== undefined && !words[0].startsWith("-");
  const hook = isHook && !/^[A-Z…]/.test(words[0] as string) && !((words[0] as string) in HOOKS);
  const flags = words.filter((word) => /^--?[a-z]/.test(word));
  return [
    ...(hook ? [`there is no hook ${words[0]}`] : []),
    ...flags.flatMap((flag) => flagProblems(name, flag)),
  ];
}

function flagProblems(name: string | undefined, flag: string): string[] {
  const known = name === undefined ? undefined : commands.get(name);
  const candidates = known ? [known] : [...commands.values()];
  const has = ({ options }: Command) =>
    flag.startsWith("--")
      ? flag === "--help" || Object.hasOwn(options, flag.slice(2))
      : Object.values(options).some(({ short }) => flag === `-${short}`);
  if (candidates.some(has)) return [];
  return [known ? `\`rollcall ${name}\` has no ${flag}` : `no command has ${flag}`];
}

function isFunction(span: string): boolean {
  const [first = "", second] = span.replace("()", "").split(".");
  const members = {
    rollcall: Rollcall.prototype,
    Session: library.Session,
    session: library.Session.prototype,
  };
  if (second !== undefined) return hasFunction(members[first as keyof typeof members] ?? {}, second);
  return hasFunction(library, first) || hasFunction(Rollcall.prototype, first);
}

function hasFunction(owner: object, name: string): boolean {
  return typeof (owner as Record<string, unknown>)[name] === "function";
}

function linksOf(prose: string): string[] {
  const links = [...prose.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map((match) => match[1] as string);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

function linkProblems(link: string, from: string): string[] {
  const [file = "", anchor] = link.split("#") as [string, string | undefined];
  const target = file === "" ? join(root, from) : join(root, dirname(from), file);
  if (!existsSync(target)) return [`the link ${link} leads nowhere`];
  if (anchor === undefined || statSync(target).isDirectory()) return [];
  const headings = [...readFileSync(target, "utf8").matchAll(/^#+ (.+)$/gm)].map((match) =>
    slug(match[1] as string),
  );
  return headings.includes(anchor) ? [] : [`the link ${link} leads nowhere`];
}

/** The anchor that GitHub gives a heading. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

interface Requirement {
  readonly document: string;
  readonly requirement: string;
  readonly where: string;
  readonly status: string;
}

function requirementRows(markdown: string): Requirement[] {
  return tableRows(markdown).flatMap(([document = "", requirement = "", where = "", status]) =>
    /^\d{3}$/.test(document) && status !== undefined ? [{ document, requirement, where, status }] : [],
  );
}

const STATUS =
  /^(done|not planned|step [2-8]|decided otherwise \(\[\d{4}\]\(decisions\/\d{4}-[\w-]+\.md\)\))$/;

function rowProblems({ document, requirement, where, status }: Requirement): string[] {
  const words = spansOf(where).filter((span) => /^[A-Za-z][A-Za-z_]*(\.[A-Za-z_]+)*$/.test(span));
  const unknown = words.filter((word) => word !== "rollcall" && !fields.has(word) && !isWord(word));
  return [
    ...unknown.map((word) => `there is no field or word ${word}`),
    ...(where === "" ? ["it lives nowhere"] : []),
    ...(/^00[0-4]$/.test(document) ? [] : [`${document} is no document`]),
    ...(STATUS.test(status) ? [] : [`${status} is no status`]),
  ].map((problem) => `${requirement}: ${problem}`);
}

/** A setting, an environment variable, an error, a reason, or a value of one of the lists. */
function isWord(word: string): boolean {
  const { STATES, PHASES, KINDS, CHANNELS, STATUSES, AGENT_TYPES } = library;
  const lists = [STATES, PHASES, KINDS, CHANNELS, STATUSES, AGENT_TYPES, REFUSALS, ["detached"]];
  const isListed = lists.some((list) => (list as readonly string[]).includes(word));
  return (
    isListed || Object.hasOwn(SETTINGS, word) || Object.hasOwn(ERRORS, word) || /^ROLLCALL_[A-Z]+$/.test(word)
  );
}

function tableRows(markdown: string): string[][] {
  const rows = markdown.split("\n").filter((line) => line.startsWith("|") && !/^\|[-| ]+\|$/.test(line));
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

function section(markdown: string, heading: string): string {
  return markdown.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`)) ?? "";
}

/** A record, a record file, a hook's answer and the figures of delegations, with every group filled. */
async function realShapes(world: World): Promise<unknown[]> {
  await using rollcall = await world.open();
  const session = await library.Session.create({ pid: process.pid }, { rollcall });
  await session.addMessage({ role: "assistant", content: "…", name: "a", toolCalls: [{}] });
  await session.recordToolCall({ name: "t", params: {}, result: {} });
  await rollcall.update(session.id, { phase: "planning", error: "e" });
  const since = new Date(world.clock.now()).toISOString();
  const waiting = {
    for: "dialog",
    requestId: "r1",
    tool: null,
    input: null,
    question: null,
    options: null,
    since,
  } as const;
  const evidence = { source: "screen", rule: "test", excerpt: null } as const;
  const why = { evidence, generation: 1 } as const;
  const body = { kind: "asked", state: "waiting_input", waiting, ...why } as const;
  await rollcall.context.store.change(session.id, () => [{ id: "e", at: since, channel: null, body }]);
  await session.save();
  const [hook] = await hookExamples("pre-delegate");
  const [stopped] = await hookExamples("subagent-stop");
  const { resume } = await rollcall.stats({ resume: true });
  const wire = library.toWire({ ...(await rollcall.get(session.id)), sessionId: session.id });
  return [wire, world.readFile(session.id), hook?.output, stopped?.output, library.toWire({ resume })];
}

/** Every field with its path, and the last part of the path alone; those of a list without their numbers. */
function pathsOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, path));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = path === "" ? key : `${path}.${key}`;
    return [name, key, ...pathsOf(inner, name)];
  });
}

function markdownBelow(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".md")).map((name) => relative(root, join(root, folder, name)));
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
