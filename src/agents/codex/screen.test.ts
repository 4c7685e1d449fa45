import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../domain/json.ts";
import { matchScreen } from "../../domain/screen/screen-rules.ts";
import type { Waiting } from "../../domain/session/session.ts";
import { AT_PROMPT } from "../../domain/supervise/signal.ts";
import type { Notes, Seen } from "../agent.ts";
import { controls } from "./controls.ts";
import { SCREEN } from "./screen.ts";
import { shown } from "./shown.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const TO = { kind: "interactive", nativeId: null, notes: {} } as const;

describe("a screen of Codex", () => {
  test.each(readdirSync(FIXTURES))("%s is read as expected", (name) => {
    const screen = screenOf(name);
    const expected = JSON.parse(readFileSync(join(FIXTURES, name, "expected.json"), "utf8")) as object;
    const { rule = null } = { rule: matchScreen(SCREEN, screen)?.rule.name };
    const seen = shown(screen, {});
    const box = controls.emptyBox?.(screen) === undefined ? "empty" : "typed";
    expect({ rule, asked: askedIn(seen), taken: seen.taken ?? [], box }).toEqual(expected);
  });
});

describe("a dialog for a permission", () => {
  const call = (cmd: string): Notes => ({
    calls: JSON.stringify([{ id: "c1", name: "exec_command", input: { cmd, justification: "why" } }]),
  });

  test.each(["permission-wrapped", "permission-narrow", "permission-cut", "permission-command"])(
    "%s is told in full where the rollout has its call",
    (name) => {
      const cmd = COMMANDS[name] as string;
      expect(askedIn(shown(screenOf(name), call(cmd)))).toMatchObject({
        tool: "exec_command",
        input: { cmd, justification: "why" },
      });
    },
  );

  test("is not taken for the call of another command", () => {
    const seen = shown(screenOf("permission-command"), call("touch f10"));
    expect(askedIn(seen)).toMatchObject({ tool: "exec_command", input: { cmd: "touch f1" } });
  });

  test("for edits is told in full where the rollout has the patch of these files", () => {
    const patch =
      "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** Add File: two.txt\n+x\n*** End Patch\n";
    const calls = (text: string) =>
      JSON.stringify([{ id: "c1", name: "apply_patch", input: { patch: text } }]);
    const asked = (text: string) => askedIn(shown(screenOf("permission-edits"), { calls: calls(text) }));
    expect(asked(patch)).toMatchObject({ tool: "apply_patch", input: { patch } });
    expect(asked(patch.replace("new.txt", "old.txt"))).toMatchObject({
      input: { files: ["/project/new.txt", "/project/two.txt"] },
    });
  });
});

describe("an approval", () => {
  const whole = readdirSync(FIXTURES).filter((name) => /^permission-(?!cut)/.test(name));

  test.each(whole)("of %s waits for its own dialog and for no other", (name) => {
    const approve = controls.approve(TO, requestIn(name));
    expect(approve?.bytes).toBe("y");
    const drawn = readdirSync(FIXTURES).filter((other) => isOn(approve?.onScreen, other));
    expect(drawn).toEqual([name]);
  });

  test("of what is not known, or not in full, is not offered", () => {
    expect(controls.approve(TO, { ...AT_PROMPT, for: "permission", since: "" })).toBeUndefined();
    expect(controls.approve(TO, requestIn("permission-cut"))).toBeUndefined();
  });

  test("of a command that the screen has cut is offered where the rollout has it in full", () => {
    const input = { cmd: COMMANDS["permission-cut"] as string };
    const approve = controls.approve(TO, { ...requestIn("permission-cut"), input });
    expect(readdirSync(FIXTURES).filter((name) => isOn(approve?.onScreen, name))).toEqual(["permission-cut"]);
  });

  test("of trust needs the choice to stand on it", () => {
    const trust = { ...AT_PROMPT, for: "trust", since: "" } as const;
    expect(isOn(controls.approve(TO, trust)?.onScreen, "trust-dialog")).toBe(true);
    expect(isOn(controls.deny(TO, trust, null)?.onScreen, "trust-dialog")).toBe(true);
    const moved = screenOf("trust-dialog").replace("› 1.", "  1.").replace("  2.", "› 2.");
    expect(new RegExp(controls.approve(TO, trust)?.onScreen as string, "mu").test(moved)).toBe(false);
  });
});

/** What the commands of these screens were. */
const COMMANDS: Readonly<Record<string, string>> = {
  "permission-command": "touch f1",
  "permission-narrow": "npm run build --workspace packages/a-rather-long-name-of-a-package && npm test",
  "permission-wrapped": `echo ${numbered(40, (i) => `word${i}-abcdefghij`).join(" ")} > out.txt`,
  "permission-cut": `cat > x.txt <<'EOF'\n${numbered(80, (i) => `line ${i}`).join("\n")}\nEOF`,
};

function numbered(count: number, name: (index: number) => string): string[] {
  return Array.from({ length: count }, (_, index) => name(index));
}

function screenOf(name: string): string {
  return readFileSync(join(FIXTURES, name, "screen.txt"), "utf8");
}

function requestIn(name: string): Waiting {
  const { tool = null, input = null, question = null } = askedIn(shown(screenOf(name), {})) ?? {};
  return { ...AT_PROMPT, for: "permission", tool, input, question, since: "" };
}

function isOn(pattern: string | undefined, name: string): boolean {
  return new RegExp(pattern as string, "mu").test(screenOf(name));
}

interface Told {
  readonly tool?: string;
  readonly input?: JsonObject;
  readonly question?: string;
}

/** Without what is not known. */
function askedIn({ signal }: Seen): Told | null {
  if (signal?.says !== "asking") return null;
  const { tool, input, question } = signal.asked;
  return JSON.parse(JSON.stringify({ tool: tool ?? undefined, input: input ?? undefined, question }));
}
