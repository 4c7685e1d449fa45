import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { events, lines, memories, objects } from "../testing/agents/agent-words.ts";
import { expectMemory, expectWellFormed } from "../testing/agents/well-formed-parsed.ts";
import { runsOf } from "../testing/runs.ts";
import type { Outside, OutsideIdentity } from "./agent.ts";
import type { Memory } from "./parsed.ts";

const HOME = { HOME: "/home/someone" };

/** Every promise of `Outside`: sessions of an agent that someone started without Rollcall. */
export function outsideContract(type: string, outside: Outside): void {
  const { sources, trust, memory = {} } = outside;

  describe(`a session of ${type} from outside`, () => {
    test("has a parser for each source that is trusted, and a memory that survives", () => {
      expect(trust.filter((source) => !(source in sources))).toEqual([]);
      expectMemory(memory);
    });

    test("is looked for in folders of the home, and has a transcript there", () => {
      const { liveFiles, transcripts } = outside.places(HOME);
      for (const folder of [liveFiles ?? transcripts, transcripts])
        expect(folder).toMatch(/^\/home\/someone\//);
      expect(liveFiles !== null).toBe(outside.ofFile !== undefined);
      const identity = { nativeId: "n", kind: "interactive", cwd: "/work", pid: null } as const;
      expect(outside.transcriptOf?.(HOME, identity) ?? transcripts).toMatch(/^\/home\/someone\//);
    });

    test("is parsed by total and pure parsers, for any piece and any memory", () => {
      fc.assert(
        fc.property(lines, objects, events, memories, (line, object, event, random) => {
          for (const known of [random, memory as Memory]) {
            const parse = () => [
              sources.file?.parse(object, known) ?? {},
              sources.hook?.parse(event, object, known) ?? {},
              sources.transcript?.parse(line, known) ?? {},
            ];
            const first = parse();
            expect(parse()).toEqual(first);
            for (const one of first) expectWellFormed(outside, one);
            const over = outside.turnAtRest?.(known);
            if (over) expectWellFormed(outside, { turn: { over } });
          }
          const identities = [
            outside.ofFile?.(object),
            outside.ofTranscript(line, line),
            outside.ofHook?.(object),
          ];
          expect(typeof (outside.isWord?.(line) ?? true)).toBe("boolean");
          for (const identity of identities) if (identity) expectIdentity(identity);
        }),
        { numRuns: runsOf(500) },
      );
    });
  });
}

function expectIdentity({
  nativeId,
  kind,
  cwd,
  pid,
  startTime = "",
  transcript = "",
}: OutsideIdentity): void {
  expect(nativeId).not.toBe("");
  expect(["interactive", "autonomous"]).toContain(kind);
  for (const text of [nativeId, cwd ?? "", startTime, transcript]) expect(typeof text).toBe("string");
  expect(pid === null || typeof pid === "number").toBe(true);
}
