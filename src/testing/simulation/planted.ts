import type { EventBody } from "../../domain/session/event.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { isEnded } from "../../domain/session/state.ts";
import type { Action } from "../../domain/supervise/observation.ts";
import { decide, type StampedObservation } from "../../domain/supervise/supervise.ts";
import type { Planted } from "./world.ts";

/** Mistakes that someone could make, in the rules or in the daemon. Each must be caught. */
export const PLANTED: Readonly<Record<string, Planted>> = {
  "kills whoever has the pid": { skipsIdentity: true },
  "kills by pid and start time, without the marker": { skipsMarker: true },
  "acts before it records": { actsFirst: true },
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
};

type Decide = typeof decide;
type Change = Extract<EventBody, { kind: "state_changed" }>;

function changed(change: (body: Change) => Change): Decide {
  return (row, stamped) =>
    decide(row, stamped).map((action) =>
      action.do === "append" && action.body.kind === "state_changed"
        ? { do: "append", body: change(action.body) }
        : action,
    );
}

function without(act: Action["do"]): Decide {
  return (row, stamped) => decide(row, stamped).filter((action) => action.do !== act);
}

function whenAdopting(planted: Decide): Decide {
  return (row, stamped) =>
    (stamped.observation.saw === "traces" || stamped.observation.saw === "launched" ? planted : decide)(
      row,
      stamped,
    );
}

function endWhenGone(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  const isGone = stamped.observation.saw === "holder_gone" && stamped.generation === row.generation;
  return isGone && !isEnded(row.state) ? [end(row, {})] : decide(row, stamped);
}

function guessExit(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  return decide(row, stamped).map((action) =>
    action.do === "append" && action.body.kind === "state_changed" && action.body.endReason === "holder_lost"
      ? end(row, { exitCode: 0 })
      : action,
  );
}

function endTwice(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  const isExit = stamped.observation.saw === "exit" && stamped.generation === row.generation;
  return isExit && isEnded(row.state) ? [end(row, {})] : decide(row, stamped);
}

function endAtExit(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  const { observation } = stamped;
  if (observation.saw !== "exit" || observation.exit.tree.state !== "ending") return decide(row, stamped);
  const tree = { ...observation.exit.tree, state: "empty" } as const;
  return decide(row, { ...stamped, observation: { ...observation, exit: { ...observation.exit, tree } } });
}

function failAsked(body: Change): Change {
  const isFailure = body.to === "stopped" && body.exitCode !== 0 && body.exitCode !== undefined;
  return isFailure ? { ...body, to: "failed" } : body;
}

function believeLate(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  return decide(row, { ...stamped, generation: row.generation });
}

function believeLost(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  const isSaid = stamped.observation.saw === "signal" && row.state === "unknown";
  return decide(isSaid ? { ...row, endReason: "not_ready" } : row, stamped);
}

function endAtReboot(body: Change): Change {
  return body.endReason === "machine_reboot" ? { ...body, to: "stopped" } : body;
}

function endUnproven(body: Change): Change {
  return body.endReason === "not_proven" ? { ...body, to: "stopped" } : body;
}

function loseYoung(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  const { observation } = stamped;
  if (observation.saw !== "traces") return decide(row, stamped);
  const traces = { ...observation.traces, ageMs: 60_000, leftovers: [] };
  return decide(row, { ...stamped, observation: { ...observation, traces } });
}

function forgetReason({ endReason: _, ...body }: Change): Change {
  return body;
}

function end({ generation }: SessionRow, more: Partial<Change>): Action {
  const evidence = { source: "process", rule: "planted", excerpt: null } as const;
  const ending = { how: "left", clean: true, tellsTurns: false, lastTurn: null } as const;
  return {
    do: "append",
    body: { kind: "state_changed", to: "stopped", evidence, generation, ending, ...more },
  };
}
