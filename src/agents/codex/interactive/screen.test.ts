import { describe, expect, test } from "vitest";
import type { Waiting } from "../../../domain/session/session.ts";
import { AT_PROMPT } from "../../../domain/supervise/signal.ts";
import { askedFields } from "../../../testing/agents/replay.ts";
import { screenFixture, screenNames } from "../../../testing/agents/screen-fixtures.ts";
import { TARGET } from "../../../testing/agents/target.ts";
import type { Deed } from "../../deed.ts";
import type { CodexMemory } from "../memory.ts";
import { controls } from "./controls.ts";
import { parseShown } from "./shown.ts";

describe("a dialog of Codex for a permission", () => {
  const call = (cmd: string): CodexMemory => ({
    calls: [{ id: "c1", name: "exec_command", input: { cmd, justification: "why" } }],
  });

  test.each(["permission-wrapped", "permission-narrow", "permission-cut", "permission-command"])(
    "%s is told in full where the rollout has its call",
    (name) => {
      const cmd = COMMANDS[name] as string;
      expect(askedFields(parseShown(screenOf(name), call(cmd)))).toMatchObject({
        tool: "exec_command",
        input: { cmd, justification: "why" },
      });
    },
  );

  test("is not taken for the call of another command", () => {
    const parsed = parseShown(screenOf("permission-command"), call("touch f10"));
    expect(askedFields(parsed)).toMatchObject({ tool: "exec_command", input: { cmd: "touch f1" } });
  });

  test("for edits is told in full where the rollout has the patch of these files", () => {
    const patch =
      "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** Add File: two.txt\n+x\n*** End Patch\n";
    const calls = (text: string) => [{ id: "c1", name: "apply_patch", input: { patch: text } }];
    const asked = (text: string) =>
      askedFields(parseShown(screenOf("permission-edits"), { calls: calls(text) }));
    expect(asked(patch)).toMatchObject({ tool: "apply_patch", input: { patch } });
    expect(asked(patch.replace("new.txt", "old.txt"))).toMatchObject({
      input: { files: ["/project/new.txt", "/project/two.txt"] },
    });
  });
});

describe("an approval of Codex", () => {
  const whole = screenNames("codex").filter((name) => /^permission-(?!cut)/.test(name));

  test.each(whole)("of %s waits for its own dialog and for no other", (name) => {
    const approve = keysOf(controls.approve(TARGET, requestIn(name)));
    expect(approve?.bytes).toBe("y");
    const drawn = screenNames("codex").filter((other) => isOn(approve?.onScreen, other));
    expect(drawn).toEqual([name]);
  });

  test("of what is not known, or not in full, is not offered", () => {
    expect(controls.approve(TARGET, { ...AT_PROMPT, for: "permission", since: "" })).toBeUndefined();
    expect(controls.approve(TARGET, requestIn("permission-cut"))).toBeUndefined();
  });

  test("of a command that the screen has cut is offered where the rollout has it in full", () => {
    const input = { cmd: COMMANDS["permission-cut"] as string };
    const approve = keysOf(controls.approve(TARGET, { ...requestIn("permission-cut"), input }));
    expect(screenNames("codex").filter((name) => isOn(approve?.onScreen, name))).toEqual(["permission-cut"]);
  });

  test("of trust needs the choice to stand on it", () => {
    const trust = { ...AT_PROMPT, for: "trust", since: "" } as const;
    expect(isOn(keysOf(controls.approve(TARGET, trust))?.onScreen, "trust-dialog")).toBe(true);
    expect(isOn(keysOf(controls.deny(TARGET, trust, null))?.onScreen, "trust-dialog")).toBe(true);
    const moved = screenOf("trust-dialog").replace("› 1.", "  1.").replace("  2.", "› 2.");
    expect(new RegExp(keysOf(controls.approve(TARGET, trust))?.onScreen as string, "mu").test(moved)).toBe(
      false,
    );
  });
});

/** The commands on these screens. */
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
  return screenFixture("codex", name);
}

function keysOf(deed: Deed | undefined) {
  return deed?.via === "keys" ? deed : undefined;
}

function requestIn(name: string): Waiting {
  const { tool = null, input = null, question = null } = askedFields(parseShown(screenOf(name), {})) ?? {};
  return { ...AT_PROMPT, for: "permission", tool, input, question, since: "" };
}

function isOn(pattern: string | undefined, name: string): boolean {
  return new RegExp(pattern as string, "mu").test(screenOf(name));
}
