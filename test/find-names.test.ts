import { describe, expect, test } from "vitest";
import { findAgentNames, findHostTests } from "./find-names.ts";

const AGENTS: readonly (readonly [code: string, found: readonly string[]])[] = [
  [`if (session.agentType === "claude") run();`, [`"claude"`]],
  [`const is = "codex" !== type;`, [`"codex"`]],
  ["const is = type === `gemini`;", ["`gemini`"]],
  [`switch (type) { case "opencode": run(); }`, [`"opencode"`]],
  [`const has = ["scripted"].includes(type);`, [`"scripted"`]],
  [`const MAP = { claude: 1, "codex": 2 };`, ["claude: 1", `"codex"`]],
  ["const MAP = { codex };", ["codex"]],
  ["const one = MAP.claude;", ["MAP.claude"]],
  ["const one = MAP?.claude;", ["MAP?.claude"]],
  [`interface A { claude: string; b: "codex" }`, ["claude: string;", `"codex"`]],
  [`if (agentType === "unknown") run();`, [`agentType === "unknown"`]],
  [`if ("unknown" !== agent.type) run();`, [`"unknown" !== agent.type`]],
  [`switch (row.agentType) { case "unknown": run(); }`, [`case "unknown": run();`]],
  ["const is = type === UNNAMED_TYPE;", ["type === UNNAMED_TYPE"]],
  [`const text = \`\${type === "claude" ? 1 : 2}\`;`, [`"claude"`]],
];

const NO_AGENTS: readonly string[] = [
  `const example = "rollcall start claude";`,
  `const path = "~/.claude/settings.json";`,
  `// if (type === "claude")`,
  `/* codex: 1 */ const a = 1;`,
  `if (state === "unknown") run();`,
  `const row = { agentType: "unknown" };`,
  "const claude = 1;",
  `const named = namedType(agentType) === null;`,
];

const HOSTS: readonly (readonly [code: string, found: readonly string[]])[] = [
  [`if (launch.host === "pty") run();`, [`launch.host === "pty"`]],
  [`const is = "pipe" !== name;`, [`"pipe" !== name`]],
  [`const is = carried?.launch.host === "acp";`, [`carried?.launch.host === "acp"`]],
  [`switch (host) { case "pty": run(); default: stop(); }`, [`case "pty": run();`]],
  ["const is = { pty: true, pipe: false }[host];", ["pty: true"]],
];

const NO_HOSTS: readonly string[] = [
  `spawn("a", { stdio: ["ignore", "pipe", "pipe"] });`,
  "stream.pipe(other);",
  "if (hostOf(launch.host).hasScreen) run();",
  "if (launch.host === other.host) run();",
];

describe("findAgentNames", () => {
  test.each(AGENTS)("finds the name of an agent in: %s", (code, found) => {
    expect(findAgentNames(code)).toEqual(found);
  });

  test.each(NO_AGENTS)("finds no name of an agent in: %s", (code) => {
    expect(findAgentNames(code)).toEqual([]);
  });
});

describe("findHostTests", () => {
  test.each(HOSTS)("finds a test for a host's name in: %s", (code, found) => {
    expect(findHostTests(code, false)).toEqual(found);
  });

  test.each(NO_HOSTS)("finds no test for a host's name in: %s", (code) => {
    expect(findHostTests(code, true)).toEqual([]);
  });

  test("finds a host that is only named where that is not allowed either", () => {
    const code = `const plan = { host: "pty" };`;
    expect([findHostTests(code, false), findHostTests(code, true)]).toEqual([[], [`"pty"`]]);
  });
});
