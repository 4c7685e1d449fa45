import fc from "fast-check";
import { expect, test } from "vitest";
import { memories } from "../testing/agents/agent-words.ts";
import type { Mode } from "./agent.ts";
import type { Memory } from "./parsed.ts";

/** The promises of a mode that follows a stream of events. */
export function eventsContract(title: string, { sources: { events } }: Mode): void {
  if (!events) return;

  test(`the events of ${title} are read at one path of its server`, () => {
    expect(events.path).toMatch(/^\/[!-~]*$/);
  });

  test(`the events of ${title} are resumed behind the last one that is remembered`, () => {
    const { resume } = events;
    if (!resume) return;
    fc.assert(
      fc.property(fc.stringMatching(/^[1-9]\d{0,9}$/), memories, (id, memory) => {
        expect(resume.lastId(memory) ?? "").toEqual(expect.any(String));
        const after = { ...memory, ...resume.remember(id) } as Memory;
        expect(resume.lastId(after)).toBe(id);
      }),
    );
  });
}
