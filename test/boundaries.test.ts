import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, test } from "vitest";
import { findAgentNames, findHostTests } from "./find-names.ts";

const SRC = join(import.meta.dirname, "..", "src");

/** Which layers each may import. All of them may import themselves. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  machine: ["domain"],
  home: ["machine", "domain"],
  recording: ["machine", "domain"],
  store: ["machine", "domain"],
  record: ["store", "home", "machine", "domain"],
  agents: ["domain"],
  host: ["home", "machine", "domain"],
  telemetry: ["machine", "domain"],
  operations: ["domain"],
  present: ["domain"],
  client: ["operations", "domain"],
  history: ["record", "agents", "telemetry", "home", "machine", "domain"],
  daemon: [
    ...["record", "history", "agents", "host", "telemetry", "operations"],
    ...["home", "recording", "machine", "domain"],
  ],
  server: ["operations", "present", "domain"],
  cli: [
    ...["record", "history", "client", "agents", "host", "present"],
    ...["home", "recording", "machine", "domain"],
  ],
  "index.ts": ["record", "store", "telemetry", "home", "machine", "domain"],
  // The one place that knows both daemon and server.
  "main.ts": ["daemon", "server", "record", "home", "domain"],
};

/** Folders of variants of one contract: none knows another. */
const VARIANTS = ["agents", "host", "store"];

/** A protocol that several agents speak: all of them may use it, and it knows none of them. */
const SHARED = ["agents/acp"];

/** These run in a browser too. */
const WITHOUT_NODE = ["domain", "present"];

/** What only Node has, beside its modules. */
const NODE_GLOBALS =
  /\b(?:Buffer|setImmediate|__dirname|require)\b|\bprocess\.(?:env|argv|std|cwd|exit|on)|import\.meta/;

/** Ways to reach another machine; a type alone is none. */
const NETWORK =
  /^import (?!type )[^;]*"node:(?:http|https|http2|tls|dgram)"|\bfetch\(|\bnew (?:WebSocket|EventSource)\b/m;

/** The engine shows nowhere else: everything above knows the store by its contract alone. */
const KNOW_SQLITE = [
  "record/open.ts",
  "record/restore.ts",
  "record/lock.ts",
  "record/foreign/foreign-database.ts",
];

/** All that the command line sees of the agents: commands that programs call often load no adapter. */
const FOR_CLI = ["agents/hooks.ts", "agents/hook-registry.ts"];

/** Packages beside Node's own modules, and who may use them. */
const PACKAGES: Readonly<Record<string, string>> = {
  "better-sqlite3": "store/sqlite/",
  "@xterm/headless": "host/",
  pino: "daemon/",
  zod: "operations/",
  "@pydantic/genai-prices": "telemetry/",
};

/** The lists of words that everything else is derived from. */
const AGENT_LISTS = ["domain/session/session.ts", "domain/session/agent-type.ts"];
const HOST_LIST = "domain/session/carried.ts";

/** Code that has an agent's name without testing for it, and how often. */
const NAME_AGENTS: Readonly<Record<string, number>> = {
  // The demo is a fleet of that agent.
  "cli/sessions/demo-fleet.ts": 1,
  // The path of the program that comes with Rollcall, on its way to the adapter that runs it.
  "main.ts": 1,
  "daemon/services.ts": 1,
  "daemon/launch/plan-launch.ts": 1,
};

const MOST_LINES = 300;

/** A folder reads as one idea. The list of commands is one, however long, and so is the program of our own agent. */
const MOST_FILES = 21;
const LONG_FOLDERS = ["cli/commands", "agents/scripted/program"];

interface SourceFile {
  /** From `src` on, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

describe("the source", () => {
  test("has no import against the direction of the layers", () => {
    expect(readSources().flatMap(forbiddenImports)).toEqual([]);
  });

  test("names nothing of Node in what a browser shows", () => {
    const present = readSources().filter(({ path }) => layerOf(path) === "present" && !isTest(path));
    expect(present.length).toBeGreaterThan(5);
    const named = present.filter(({ text }) => NODE_GLOBALS.test(withoutComments(text)));
    expect(named.map(({ path }) => path)).toEqual([]);
  });

  test("opens a network connection in one place alone, to the server of an agent", () => {
    const isOther = ({ path }: SourceFile) => !isTest(path) && !/^testing\/|\/program\//.test(path);
    const opening = readSources().filter((file) => isOther(file) && NETWORK.test(withoutComments(file.text)));
    expect(opening.map(({ path }) => path)).toEqual(["daemon/sources/agent-server.ts"]);
  });

  test("has no barrel but the public one and the list of agents", () => {
    expect(
      readSources()
        .filter(isBarrel)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(["agents/adapters.ts", "index.ts"]);
  });

  test("has the list of agents for their registry alone", () => {
    const isList = (path: string, name: string) =>
      posix.join(posix.dirname(path), name) === "agents/adapters.ts";
    const users = readSources().filter(
      (file) => !isTest(file.path) && importsOf(file).some((name) => isList(file.path, name)),
    );
    expect(users.map(({ path }) => path)).toEqual(["agents/registry.ts"]);
  });

  test("has no file of more than 300 lines", () => {
    const long = readSources().filter(({ text }) => text.trimEnd().split("\n").length > MOST_LINES);
    expect(long.map(({ path }) => path).sort()).toEqual([]);
  });

  test("has no folder of more files than one idea needs", () => {
    const counts = new Map<string, number>();
    for (const { path } of readSources().filter(({ path }) => !isTest(path)))
      counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
    const long = [...counts].filter(
      ([folder, count]) => count > MOST_FILES && !LONG_FOLDERS.includes(folder),
    );
    expect(long).toEqual([]);
  });

  test("has the name of an agent only in its folder and in the lists of the domain", () => {
    const others = productOutside("agents").filter(({ path }) => !AGENT_LISTS.includes(path));
    expect(countIn(others, ({ text }) => findAgentNames(text))).toEqual(NAME_AGENTS);
  });

  test("tests for the name of a host only where hosts are", () => {
    const others = productOutside("host").filter(({ path }) => path !== HOST_LIST);
    // An agent says which host it needs.
    const found = countIn(others, ({ path, text }) => findHostTests(text, layerOf(path) !== "agents"));
    expect(found).toEqual({});
  });

  test("has files of known layers only", () => {
    const layers = new Set(readSources().map(({ path }) => layerOf(path)));
    expect([...layers].filter((layer) => !(layer in LAYERS) && layer !== "testing")).toEqual([]);
  });
});

/** A file that breaks a rule, and what the checker says of it. */
const PLANTED: readonly (readonly [path: string, text: string, complaint: RegExp])[] = [
  ["domain/a.ts", `import { readFileSync } from "node:fs";`, /domain .* node:fs/],
  ["domain/a.ts", `import type { Store } from "../store/store.ts";`, /domain may not import store/],
  ["domain/a.ts", `import fc from "fast-check";`, /fast-check/],
  ["domain/a.ts", `const fs = await import("node:fs");`, /node:fs/],
  ["present/a.ts", `import { styleText } from "node:util";`, /present .* node:util/],
  ["present/a.ts", `import { paint } from "../cli/table.ts";`, /present may not import cli/],
  ["store/store.ts", `import { openRollcall } from "../record/open.ts";`, /store may not import record/],
  ["store/sqlite/a.ts", `export { b } from "../../record/b.ts";`, /store may not import record/],
  ["store/postgres/a.ts", `import "../sqlite/store.ts";`, /variant/],
  ["machine/a.ts", `import { homeFolder } from "../home/layout.ts";`, /machine may not import home/],
  ["home/a.ts", `import { openRollcall } from "../record/open.ts";`, /home may not import record/],
  ["record/a.ts", `import { run } from "../cli/main.ts";`, /record may not import cli/],
  ["record/a.ts", `import { open } from "../store/sqlite/store.ts";`, /knows the engine/],
  ["record/a.ts", `import { tempFolder } from "../testing/temp-folder.ts";`, /only tests/],
  ["record/a.ts", `import { openRollcall } from "../index.ts";`, /public interface/],
  ["record/a.ts", `import Database from "better-sqlite3";`, /better-sqlite3/],
  ["cli/commands/a.ts", `import type { Store } from "../../store/store.ts";`, /cli may not import store/],
  ["cli/a.ts", `import { startDaemon } from "../daemon/start.ts";`, /cli may not import daemon/],
  ["cli/a.ts", `import { findAgent } from "../agents/registry.ts";`, /cli may import hooks of agents alone/],
  ["cli/a.ts", `import { hooks } from "../agents/claude/hooks/hooks.ts";`, /hooks of agents alone/],
  ["agents/claude/a.ts", `import { parse } from "../codex/parse.ts";`, /variant/],
  ["agents/acp/a.ts", `import { parse } from "../codex/parse.ts";`, /variant/],
  ["agents/claude/a.ts", `import { Host } from "../../host/host.ts";`, /agents may not import host/],
  ["host/a.ts", `import { find } from "../agents/registry.ts";`, /host may not import agents/],
  ["client/a.ts", `import { handle } from "../daemon/handlers.ts";`, /client may not import daemon/],
  ["server/http/a.ts", `import { handle } from "../../daemon/handlers.ts";`, /server may not import daemon/],
  ["daemon/a.ts", `import { serve } from "../server/serve.ts";`, /daemon may not import server/],
  ["history/a.ts", `import { x } from "../daemon/x.ts";`, /history may not import daemon/],
  ["operations/a.ts", `import { x } from "../record/x.ts";`, /operations may not import record/],
  ["telemetry/a.ts", `import {\n  x,\n  y,\n} from "../record/x.ts";`, /telemetry may not import record/],
  ["record/a.ts", `import { x } from "../../scripts/build.ts";`, /outside/],
];

const ALLOWED: readonly (readonly [path: string, text: string])[] = [
  ["domain/a.ts", `import { b } from "./b.ts";`],
  ["domain/a.test.ts", `import fc from "fast-check";\nimport { x } from "../testing/x.ts";`],
  ["record/open.ts", `import { openSqliteStore } from "../store/sqlite/store.ts";`],
  ["cli/attach.ts", `import { connect } from "../host/holder.ts";`],
  ["cli/a.ts", `import { loadHooks } from "../agents/hook-registry.ts";`],
  ["cli/a.ts", `import { rollOrder } from "../present/roll-order.ts";`],
  ["agents/claude/a.ts", `import type { Agent } from "../agent.ts";`],
  ["agents/claude/adapter.ts", `import { acpMode } from "../acp/mode.ts";`],
  ["agents/registry.ts", `import { claude } from "./claude/adapter.ts";`],
  ["main.ts", `import { a } from "./daemon/a.ts";\nimport { b } from "./server/b.ts";`],
  ["record/a.ts", `// imports nothing from "../cli/main.ts"`],
];

describe("the checker", () => {
  test.each(PLANTED)("catches in %s: %s", (path, text, complaint) => {
    expect(forbiddenImports({ path, text })).toEqual([expect.stringMatching(complaint)]);
  });

  test.each(ALLOWED)("leaves alone in %s: %s", (path, text) => {
    expect(forbiddenImports({ path, text })).toEqual([]);
  });

  test("reads the files that are there", () => {
    const paths = readSources().map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(["index.ts", "domain/session/apply.ts", "store/sqlite/store.ts"]),
    );
    expect(
      importsOf({ path: "a", text: `import a from "b";\nexport * from "c";\nawait import("d");` }),
    ).toEqual(["b", "c", "d"]);
  });
});

/** All but tests, their tools and this layer. */
function productOutside(layer: string): SourceFile[] {
  return readSources().filter(({ path }) => !isTest(path) && ![layer, "testing"].includes(layerOf(path)));
}

/** How much was found in each file that has some. */
function countIn(files: readonly SourceFile[], find: (file: SourceFile) => string[]): Record<string, number> {
  const counts = files.map((file) => [file.path, find(file).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

function forbiddenImports(file: SourceFile): string[] {
  return importsOf(file).flatMap((name) => {
    const complaint = name.startsWith(".")
      ? complainOfFile(file.path, name)
      : complainOfPackage(file.path, name);
    return complaint === undefined ? [] : [`${file.path}: ${complaint} (${name})`];
  });
}

function complainOfFile(path: string, name: string): string | undefined {
  const target = posix.join(posix.dirname(path), name);
  const [from, to] = [layerOf(path), layerOf(target)];
  if (from === "testing" || isTest(path)) return undefined;
  if (target.startsWith("..")) return "it imports from outside src";
  if (to === "testing") return "only tests may import testing";
  if (to === "index.ts") return "the public interface is for others";
  if (target.startsWith("store/sqlite/") && from !== "store" && !KNOW_SQLITE.includes(path))
    return "who opens the store alone knows the engine";
  if (from === "cli" && to === "agents" && !FOR_CLI.includes(target))
    return "cli may import hooks of agents alone";
  if (from === to) return isOtherVariant(path, target) ? "one variant may not import another" : undefined;
  return LAYERS[from]?.includes(to) ? undefined : `${from} may not import ${to}`;
}

function complainOfPackage(path: string, name: string): string | undefined {
  if (layerOf(path) === "testing" || isTest(path)) return undefined;
  if (name.startsWith("node:"))
    return WITHOUT_NODE.includes(layerOf(path)) ? `${layerOf(path)} may not import ${name}` : undefined;
  const place = PACKAGES[name];
  return place !== undefined && path.startsWith(place) ? undefined : `it may not import ${name}`;
}

function isOtherVariant(path: string, target: string): boolean {
  const [layer, variant, ...inside] = path.split("/");
  const [, other, ...otherInside] = target.split("/");
  if (SHARED.includes(`${layer}/${other}`)) return false;
  const isInVariant = VARIANTS.includes(layer as string) && inside.length > 0 && otherInside.length > 0;
  return isInVariant && variant !== other;
}

function layerOf(path: string): string {
  return path.split("/")[0] as string;
}

/** Contract suites are tests too: they stand beside the contract that they hold the variants to. */
function isTest(path: string): boolean {
  return /\.(test|contract)\.ts$|-bench\.ts$/.test(path) || path.startsWith("store/contract/");
}

function isBarrel({ text }: SourceFile): boolean {
  return /^export\s[^;]*?\sfrom\s+"/m.test(withoutComments(text));
}

function importsOf({ text }: SourceFile): string[] {
  const found = withoutComments(text).matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|^\s*import\s+)"([^"]+)"/gm);
  return [...found].map((match) => match[1] as string);
}

function withoutComments(text: string): string {
  return text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
}

function readSources(): SourceFile[] {
  const found = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  return found.map((name) => ({
    path: name.replaceAll("\\", "/"),
    text: readFileSync(join(SRC, name), "utf8"),
  }));
}
