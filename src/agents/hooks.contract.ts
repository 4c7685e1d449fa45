import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentType } from "../domain/session/session.ts";
import { objects } from "../testing/agents/agent-words.ts";
import type { AgentHooks, HookCodec, HookName, HookPrograms } from "./hooks.ts";

const PROGRAMS: HookPrograms = {
  node: "/opt/it's/node",
  launcher: "/opt/rollcall/bin/rollcall.cjs",
  script: "/home/someone/.rollcall/run/hook.sh",
  home: null,
};
const ELSEWHERE: HookPrograms = { ...PROGRAMS, launcher: "/old/rollcall.cjs", home: "/old state" };
const FACTS = { sessionId: "s1", agentName: "architect", taskId: "T1", description: "plan it" };
const NAMES = ["pre-delegate", "subagent-stop"] as const satisfies readonly HookName[];

/** Every promise of `hooks.ts`, to be kept by each agent that has hooks. */
export function hooksContract(type: AgentType, { settings, codecs, examples }: AgentHooks): void {
  const install = (text: string, programs = PROGRAMS) => settings.install(text, programs, "/settings");

  describe(`the settings of ${type} with hooks of ours`, () => {
    test("are in a file below the user's home", () => {
      expect(settings.path({ HOME: "/home/someone" })).toMatch(/^\/home\/someone\/[^/].*\w$/);
    });

    test("have each of our hooks once, also after others of ours", () => {
      const installed = install("{}\n");
      expect(settings.count(installed)).toBeGreaterThan(0);
      expect(settings.count("{}")).toBe(0);
      expect(install(installed)).toBe(installed);
      expect(install(install("{}\n", ELSEWHERE))).toBe(installed);
    });

    test("are as they were before, byte for byte, once our hooks are removed", () => {
      const text = fc
        .tuple(objects, fc.constantFrom(0, 2, "\t"))
        .map(([given, indent]) => JSON.stringify(given, null, indent));
      fc.assert(
        fc.property(text, (before) => {
          expect(settings.remove(before)).toBe(before);
          expect(settings.remove(install(before))).toBe(before);
        }),
      );
    });
  });

  describe.each(NAMES)(`the codec of ${type} for %s`, (name) => {
    const codec: HookCodec<unknown, never> = codecs[name];

    test("parses any payload to the same, and has an answer that is a JSON object where it cannot go on", () => {
      fc.assert(
        fc.property(objects, fc.option(fc.string()), (payload, text) => {
          const parsed = codec.parse(payload, text);
          expect(codec.parse(payload, text)).toEqual(parsed);
          expect(typeof (codec.file?.(payload) ?? "")).toBe("string");
          const failed = codec.fail("unavailable", payload);
          expect(JSON.parse(JSON.stringify(failed))).toEqual(failed);
        }),
      );
    });

    test("has examples, which it understands", () => {
      expect(examples[name].length).toBeGreaterThan(0);
      for (const { about, session, payload } of examples[name]) {
        const parsed = codec.parse(payload({ ...FACTS, sessionId: session ? FACTS.sessionId : "" }), null);
        expect(parsed, about).toMatchObject({ agentId: session ? FACTS.sessionId : null });
      }
    });
  });

  test(`the codec of ${type} for pre-delegate names the agent that calls`, () => {
    for (const { payload } of examples["pre-delegate"])
      expect(codecs["pre-delegate"].parse(payload(FACTS), null)).toMatchObject({
        agentName: FACTS.agentName,
        caller: { agentType: type },
      });
  });
}
