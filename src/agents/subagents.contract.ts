import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../domain/json.ts";
import { lines, memories, objects } from "../testing/agents/agent-words.ts";
import { replacePart, sampleLines } from "../testing/agents/samples.ts";
import { expectWellFormed } from "../testing/agents/well-formed-parsed.ts";
import { runsOf } from "../testing/runs.ts";
import type { Memory } from "./parsed.ts";
import type { SubagentFiles, SubagentRows, Subagents } from "./subagents.ts";

/** Every promise of `subagents.ts`. */
export function subagentsContract(type: string, facts: Subagents): void {
  const title = `a sub-agent of ${type}`;
  const reader = { host: "pipe", trust: [], sources: {} } as const;
  const samples = sampleLines(type, (line, memory) => facts.parse(line, memory));

  function expectParsed(line: string, memory: Memory): void {
    const parsed = facts.parse(line, memory);
    expectWellFormed(reader, parsed);
    const { signal, reply, taken, transcript, child, awaits, isTurnRead, totals } = parsed;
    expect([signal, reply, taken, transcript, child, awaits, isTurnRead, totals].filter(Boolean)).toEqual([]);
    expect(parsed.identity?.nativeId).toBeUndefined();
  }

  test(`${title} is parsed whatever a line says, and says only what a child session can take`, () => {
    fc.assert(fc.property(lines, memories, expectParsed));
    const values = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, "", -1, {}, []));
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.nat(), values, (sample, place, value) => {
        expectParsed(sample.line, sample.memory);
        const changed = replacePart(JSON.parse(sample.line) as Json, place, value as Json);
        expectParsed(JSON.stringify(changed), sample.memory);
      }),
      { numRuns: runsOf(500) },
    );
  });

  if ("rows" in facts) expectRows(title, facts);
  else expectFiles(title, facts);
}

function expectFiles(title: string, facts: SubagentFiles): void {
  test(`${title} is identified by texts alone, whatever a file is called and begins with`, () => {
    fc.assert(
      fc.property(fc.string(), lines, (path, line) => {
        const known = facts.identify(path, line);
        for (const text of Object.values(known ?? {})) expect(typeof text).toBe("string");
        for (const folder of facts.folders(`/${path}`, new Date(0), "id")) expect(folder).toMatch(/^\/|^$/);
      }),
    );
    fc.assert(
      fc.property(objects, (content) => {
        const { isFinished = true, ...note } = facts.sidecar?.parse(content) ?? {};
        expect(typeof isFinished).toBe("boolean");
        for (const text of Object.values(note)) expect(typeof text).toBe("string");
      }),
    );
  });
}

function expectRows(title: string, facts: SubagentRows): void {
  test(`${title} is selected by a statement that only reads, and is known by texts alone`, () => {
    expect(facts.rows).toMatch(/^(?:WITH|SELECT)\b[^;]*$/u);
    expect(facts.rows).toContain("$id");
    fc.assert(
      fc.property(objects, (row) => {
        for (const text of Object.values(facts.ofRow(row) ?? {})) expect(typeof text).toBe("string");
      }),
    );
  });
}
