import type { EventBody } from "../../domain/event.ts";
import type { Action } from "../../domain/observation.ts";
import type { SessionRow } from "../../domain/session.ts";
import { isEnded } from "../../domain/state.ts";
import { decide, type Sighting } from "../../domain/supervise.ts";
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
  "calls a reboot an end": { decide: changed(endAtReboot) },
  "takes a young launch for a lost one": { decide: loseYoung },
  "forgets why it ended": { decide: changed(forgetReason) },
};

type Decide = typeof decide;
type Change = Extract<EventBody, { kind: "state_changed" }>;

function changed(change: (body: Change) => Change): Decide {
  return (row, sighting) =>
    decide(row, sighting).map((action) =>
      action.do === "append" && action.body.kind === "state_changed"
        ? { do: "append", body: change(action.body) }
        : action,
    );
}

function without(act: Action["do"]): Decide {
  return (row, sighting) => decide(row, sighting).filter((action) => action.do !== act);
}

function whenAdopting(planted: Decide): Decide {
  return (row, sighting) =>
    (sighting.observation.saw === "traces" || sighting.observation.saw === "launched" ? planted : decide)(
      row,
      sighting,
    );
}

function endWhenGone(row: SessionRow, sighting: Sighting): readonly Action[] {
  const isGone = sighting.observation.saw === "holder_gone" && sighting.generation === row.generation;
  return isGone && !isEnded(row.state) ? [end(row, {})] : decide(row, sighting);
}

function guessExit(row: SessionRow, sighting: Sighting): readonly Action[] {
  return decide(row, sighting).map((action) =>
    action.do === "append" && action.body.kind === "state_changed" && action.body.endReason === "holder_lost"
      ? end(row, { exitCode: 0 })
      : action,
  );
}

function endTwice(row: SessionRow, sighting: Sighting): readonly Action[] {
  const isExit = sighting.observation.saw === "exit" && sighting.generation === row.generation;
  return isExit && isEnded(row.state) ? [end(row, {})] : decide(row, sighting);
}

function endAtExit(row: SessionRow, sighting: Sighting): readonly Action[] {
  const { observation } = sighting;
  if (observation.saw !== "exit" || observation.exit.tree.state !== "ending") return decide(row, sighting);
  const tree = { ...observation.exit.tree, state: "empty" } as const;
  return decide(row, { ...sighting, observation: { ...observation, exit: { ...observation.exit, tree } } });
}

function failAsked(body: Change): Change {
  const isFailure = body.to === "stopped" && body.exitCode !== 0 && body.exitCode !== undefined;
  return isFailure ? { ...body, to: "failed" } : body;
}

function believeLate(row: SessionRow, sighting: Sighting): readonly Action[] {
  return decide(row, { ...sighting, generation: row.generation });
}

function believeLost(row: SessionRow, sighting: Sighting): readonly Action[] {
  const isSaid = sighting.observation.saw === "signal" && row.state === "unknown";
  return decide(isSaid ? { ...row, endReason: "not_ready" } : row, sighting);
}

function endAtReboot(body: Change): Change {
  return body.endReason === "machine_reboot" ? { ...body, to: "stopped" } : body;
}

function loseYoung(row: SessionRow, sighting: Sighting): readonly Action[] {
  const { observation } = sighting;
  if (observation.saw !== "traces") return decide(row, sighting);
  const traces = { ...observation.traces, ageMs: 60_000, leftovers: [] };
  return decide(row, { ...sighting, observation: { ...observation, traces } });
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
