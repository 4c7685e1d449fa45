import { readFileSync } from "node:fs";
import { join } from "node:path";
import { acpMode } from "../../agents/acp/mode.ts";
import type { Mode } from "../../agents/agent.ts";
import type { Deed } from "../../agents/deed.ts";
import type { Memory, Parsed } from "../../agents/parsed.ts";
import { AT_PROMPT } from "../../domain/supervise/signal.ts";
import { launchRequest } from "./launch-request.ts";

const SAMPLES = join(import.meta.dirname, "..", "..", "agents", "acp", "samples");

/** An agent of which nothing is known. */
const UNKNOWN: Mode = acpMode({ command: ["agent"] });

type Answer = "approve" | "deny" | "interrupt";

/** A recorded conversation: how it began, and what a person did in each of its turns. */
export interface Recorded {
  readonly mode?: Mode;
  readonly continues?: { readonly nativeId: string; readonly how: "resume" | "fork" };
  /** By the number of the turn: what was answered, or that it was interrupted after its first words. */
  readonly answers?: Readonly<Record<number, Answer>>;
}

/** Parses a recorded conversation, with the texts and answers that the person gave in it in their places. */
export function replayConversation(
  file: string,
  { mode = UNKNOWN, continues, answers = {} }: Recorded = {},
): Parsed[] {
  const { controls, sources } = mode;
  let memory = (mode.plan(launchRequest({ continues: continues ?? null })).memory ?? {}) as Memory;
  const results: Parsed[] = [];
  const take = (parsed: Parsed = {}) => {
    memory = { ...memory, ...parsed.memory } as Memory;
    results.push(parsed);
  };
  const act = (deed: Deed | undefined) => take(deed?.via === "lines" ? deed.implies : undefined);
  let turn = 0;
  for (const line of readFileSync(join(SAMPLES, file), "utf8").split("\n").filter(Boolean)) {
    const parsed: Parsed = sources.stream?.parse(line, memory) ?? {};
    take(parsed);
    const { signal } = parsed;
    const to = { nativeId: null, memory };
    const answer = answers[turn];
    if (signal?.says === "ready") act(controls.say(to, `text ${++turn}`));
    if (signal?.says === "asking" && answer !== undefined) {
      const asked = { ...AT_PROMPT, ...signal.asked, since: "2026-11-18T20:00:00.000Z" };
      act(answer === "interrupt" ? controls.interrupt(to) : answerDeed(answer, to, asked));
    } else if (answer === "interrupt" && line.includes("agent_message_chunk")) act(controls.interrupt(to));
  }
  return results;

  function answerDeed(
    how: Exclude<Answer, "interrupt">,
    to: { nativeId: null; memory: Memory },
    asked: Parameters<typeof controls.approve>[1],
  ) {
    return how === "approve" ? controls.approve(to, asked) : controls.deny(to, asked, null);
  }
}
