import type { EventBody } from "../../domain/session/event.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { isEnded } from "../../domain/session/state.ts";
import type { Action } from "../../domain/supervise/observation.ts";
import { decide, type StampedObservation } from "../../domain/supervise/supervise.ts";
import { HastyLoop, OverlappingLoop } from "./planted-loops.ts";
import type { Planted } from "./specs.ts";

/** Mistakes that someone could make, in the rules, the loop or the rim of a daemon. Each must be caught. */
export const PLANTED: Readonly<Record<string, Planted>> = {
  "kills whoever has the pid": { skipsIdentity: true },
  "kills by pid and start time, without the marker": { skipsMarker: true },
  "acts before it records": { answersEarly: true },
  "does not wait for the commit before it acts": { Loop: HastyLoop },
  "lets two observations of one session overlap": { Loop: OverlappingLoop },
  "does not look what is there when it comes back": { forgetsToLook: true },
  "reads the exit before it looks who lives": { readsExitFirst: true },
  "takes whoever has its pid for the holder": { trustsPids: true },
  "takes a silent holder for an end": { decide: endWhenGone },
  "guesses exit 0": { decide: guessExit },
  "ends twice": { decide: endTwice },
  "takes the agent's exit for the end of its tree": { decide: endAtExit },
  "lets the exit code win over an explicit end": { decide: changed(failAsked) },
  "believes an earlier generation": { decide: believeLate },
  "leaves leftovers alone": { decide: without("kill") },
  "does not repeat an end that it finds recorded": { decide: whenAdopting(without("end_tree")) },
  "does not repeat a pause that it finds recorded": { decide: whenAdopting(without("pause_tree")) },
  "does not repeat a continue that it finds recorded": { decide: whenAdopting(without("continue_tree")) },
  "believes what a lost agent said before": { decide: believeLost },
  "takes an end for reached that nobody proved": { decide: changed(endUnproven) },
  "calls a reboot an end": { decide: changed(endAtReboot) },
  "takes a young launch for a lost one": { decide: loseYoung },
  "forgets why it ended": { decide: changed(forgetReason) },
  "leaves an end unknown that was asked for before a reboot": { decide: changed(forgetWish) },
  "ends by a limit what was lost long before": { decide: limitLost },
  "hides a limit or a failure behind an end with an outcome": { decide: hideCause },
  "looks at a limit only once": { decide: without("check_limit") },
  "does nothing after an adoption": { decide: doNothingAdopted },
};

type Decide = typeof decide;
type Ended = Extract<EventBody, { kind: "ended" }>;

function changed(change: (body: EventBody) => EventBody): Decide {
  return (row, stamped) =>
    decide(row, stamped).map((action) =>
      action.do === "append" ? { do: "append", body: change(action.body) } : action,
    );
}

function without(act: Action["do"]): Decide {
  return (row, stamped) => decide(row, stamped).filter((action) => action.do !== act);
}

const ADOPTING: readonly string[] = ["traces", "launched", "adopted"];

function whenAdopting(planted: Decide): Decide {
  return (row, stamped) => (ADOPTING.includes(stamped.observation.saw) ? planted : decide)(row, stamped);
}

function doNothingAdopted(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  return stamped.observation.saw === "adopted" ? [] : decide(row, stamped);
}

function endWhenGone(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  const isGone = stamped.observation.saw === "holder_gone" && stamped.generation === row.generation;
  return isGone && !isEnded(row.state) ? [end(row)] : decide(row, stamped);
}

function guessExit(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  const exit = { code: 0, signal: null, at: null, killed: 0 };
  return decide(row, stamped).map((action) =>
    action.do === "append" && action.body.kind === "lost" && action.body.endReason === "holder_lost"
      ? end(row, { exit })
      : action,
  );
}

function endTwice(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  const isExit = stamped.observation.saw === "exit" && stamped.generation === row.generation;
  return isExit && isEnded(row.state) ? [end(row)] : decide(row, stamped);
}

function endAtExit(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  const { observation } = stamped;
  if (observation.saw !== "exit" || observation.exit.tree.state !== "ending") return decide(row, stamped);
  const tree = { ...observation.exit.tree, state: "empty" } as const;
  return decide(row, { ...stamped, observation: { ...observation, exit: { ...observation.exit, tree } } });
}

function failAsked(body: EventBody): EventBody {
  const isFailure = body.kind === "ended" && (body.exit?.code ?? 0) !== 0;
  return isFailure ? { ...body, state: "failed", outcome: "failure" } : body;
}

function believeLate(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  return decide(row, { ...stamped, generation: row.generation });
}

function believeLost(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  const isSaid = stamped.observation.saw === "signal" && row.state === "unknown";
  return decide(isSaid ? { ...row, endReason: "not_ready" } : row, stamped);
}

function endAtReboot(body: EventBody): EventBody {
  return body.kind === "lost" && body.endReason === "machine_reboot" ? endInstead(body) : body;
}

function endUnproven(body: EventBody): EventBody {
  return body.kind === "lost" && body.endReason === "not_proven" ? endInstead(body) : body;
}

function endInstead({ evidence, generation }: Extract<EventBody, { kind: "lost" }>): EventBody {
  return { kind: "ended", ...LEFT, evidence, generation };
}

const LEFT = { state: "stopped", outcome: null, how: "left", exit: null, endReason: null } as const;

function loseYoung(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  const { observation } = stamped;
  if (observation.saw !== "traces") return decide(row, stamped);
  const traces = { ...observation.traces, ageMs: 60_000, leftovers: [] };
  return decide(row, { ...stamped, observation: { ...observation, traces } });
}

function forgetWish(body: EventBody): EventBody {
  if (body.kind !== "ended" || body.evidence.rule !== "nothing_left") return body;
  const { evidence, generation } = body;
  return { kind: "lost", state: "unknown", evidence, generation, endReason: "machine_reboot" };
}

function limitLost(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  const isLimit = stamped.observation.saw === "limit_passed" && row.state === "unknown";
  return decide(isLimit ? { ...row, endReason: "not_ready" } : row, stamped);
}

function hideCause(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  const { observation } = stamped;
  const hasOutcome = observation.saw === "end_asked" && observation.outcome !== undefined;
  const carried = row.carried && { ...row.carried, ending: null, endReason: null };
  return decide(hasOutcome ? { ...row, carried } : row, stamped);
}

function forgetReason(body: EventBody): EventBody {
  return body.kind === "end_began" || body.kind === "ended" ? { ...body, endReason: null } : body;
}

function end({ generation }: SessionRow, more: Partial<Pick<Ended, "exit">> = {}): Action {
  const evidence = { source: "process", rule: "planted", excerpt: null } as const;
  return {
    do: "append",
    body: { kind: "ended", ...LEFT, outcome: "success", evidence, generation, ...more },
  };
}
