import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Step } from "./directives.ts";
import type { Call, CallStep, Voice } from "./voice.ts";

export interface Stage {
  /** Aborted when who asked has left. */
  readonly signal: AbortSignal;
  /** What of the program's tools a step calls. */
  toolFor(step: CallStep): Call;
  /** Until this gate is open. */
  pass(gate: string): Promise<void>;
  /** Whether a step that happens only so many times is still to happen; counts it. */
  isDue(step: Step, times: number): boolean;
  /** Drops the connection. */
  cut(): void;
}

export type Played = "answered" | "refused" | "cut";

/** Does what the answer says, step by step. Rejects when who asked has left. */
export async function play(answer: Answer, voice: Voice, stage: Stage): Promise<Played> {
  let hasBegun = false;
  for (const step of answer.steps) {
    if (step.do === "fail" && stage.isDue(step, step.times)) {
      voice.fail(step.status);
      return "refused";
    }
    if (step.do === "cut" && stage.isDue(step, step.times)) {
      if (!hasBegun) voice.text("cut after this");
      stage.cut();
      return "cut";
    }
    hasBegun = (await say(step, voice, stage)) || hasBegun;
  }
  voice.end(answer.usage);
  return "answered";
}

/** Whether it said something. */
async function say(step: Step, voice: Voice, stage: Stage): Promise<boolean> {
  switch (step.do) {
    case "text":
      await drip(step.pieces, step.gapMs, voice, stage.signal);
      return true;
    case "think":
      voice.think(step.text);
      return true;
    case "run":
    case "call":
    case "ask":
      voice.call(stage.toolFor(step));
      return true;
    case "wait":
      await sleep(step.ms, undefined, { signal: stage.signal });
      return false;
    case "gate":
      await stage.pass(step.name);
      return false;
    case "fail":
    case "cut":
      return false;
  }
}

async function drip(
  pieces: readonly string[],
  gapMs: number,
  voice: Voice,
  signal: AbortSignal,
): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await sleep(gapMs, undefined, { signal });
    voice.text(piece);
  }
}
