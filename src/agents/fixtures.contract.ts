import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../domain/json.ts";
import { matchScreen } from "../domain/screen/screen-rules.ts";
import { memories } from "../testing/agents/agent-words.ts";
import { askedFields } from "../testing/agents/replay.ts";
import { replacePart, sampleLines } from "../testing/agents/samples.ts";
import { expectedScreen, screenFixture, screenNames } from "../testing/agents/screen-fixtures.ts";
import { expectWellFormed } from "../testing/agents/well-formed-parsed.ts";
import { runsOf } from "../testing/runs.ts";
import type { Agent, Mode } from "./agent.ts";
import type { Memory, Parsed } from "./parsed.ts";
import type { EventsSource } from "./sources.ts";

/** Lines of real releases stand in `samples`; our own agent and plain commands have none. */
export function sampleContract(title: string, { type, testedVersion }: Agent, mode: Mode): void {
  if (testedVersion === null) return;
  const { stream, transcript, events } = mode.sources;
  const parsers = [stream?.parse, transcript?.parse, events && lineParser(events)].filter(
    (parse) => parse !== undefined,
  );
  const samples = parsers.flatMap((parse) => sampleLines(type, parse));
  const values = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, "", -1, {}, []));

  test(`${title} parses a real line with another value in any place of it`, () => {
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.nat(), values, memories, (sample, place, value, random) => {
        const changed = JSON.stringify(replacePart(JSON.parse(sample.line) as Json, place, value as Json));
        for (const memory of [sample.memory, random])
          for (const text of [sample.line, changed]) {
            for (const parse of parsers) expectWellFormed(mode, parse(text, memory));
            expect(typeof (transcript?.isOwn?.(text) ?? true)).toBe("boolean");
          }
      }),
      { numRuns: runsOf(1000) },
    );
  });
}

/** An event of a server is a line of a sample by its data. */
function lineParser({ parse }: EventsSource<Memory>): (data: string, memory: Memory) => Parsed {
  return (data, memory) => parse({ id: null, name: "message", data }, memory);
}

/** Screens of real releases stand in `fixtures`, each with the meaning that a person has read in it. */
export function screenContract(
  title: string,
  { type }: Agent,
  { sources: { screen }, controls }: Mode,
): void {
  if (!screen) return;

  test.each(screenNames(type))(`${title} understands the screen %s`, (name) => {
    const shows = screenFixture(type, name);
    const { rule, says, for: what, ...more } = expectedScreen(type, name);
    const found = matchScreen(screen.rules, shows)?.rule;
    expect({ rule: found?.name ?? null, says: found?.says, for: found?.for }).toEqual({
      rule,
      says,
      for: what,
    });
    const parsed = screen.shown?.(shows, {}) ?? {};
    const box = controls.emptyBox?.(shows) === undefined ? "empty" : "typed";
    const all = { asked: askedFields(parsed), taken: parsed.taken ?? [], box };
    expect(Object.fromEntries(Object.entries(all).filter(([key]) => key in more))).toEqual(more);
  });
}
