import type { Launch } from "../domain/session/carried.ts";
import type { EventBody } from "../domain/session/event.ts";
import type { ProcessIdentity, SessionRow } from "../domain/session/session.ts";
import type { Action, Observation, Traces, TreeExit } from "../domain/supervise/observation.ts";
import { type Asked, AT_PROMPT, type Signal } from "../domain/supervise/signal.ts";
import { decide } from "../domain/supervise/supervise.ts";
import type { Instant } from "../domain/time.ts";
import { created, rowAfter, step, T1 } from "./events.ts";

export const AGENT: ProcessIdentity = { pid: 42, startTime: "1000", bootId: "boot-a" };
export const TRUST = ["terminal", "hook", "screen"] as const;

export const LAUNCH: Launch = {
  marker: "marker-1",
  at: "2026-01-01T00:00:00.000Z",
  host: "pty",
  mode: "interactive",
  view: null,
  args: [],
  cwd: "/work",
  envNames: [],
  hasPrompt: false,
  tellsTurns: true,
  closesInput: false,
  keepsChildren: false,
  limits: [],
  waitPattern: null,
};

/** A session that Rollcall carries, as it is when its record was made. */
export function starting(): SessionRow {
  const evidence = { source: "operator", rule: "start", excerpt: null } as const;
  return rowAfter(created({ origin: "started", state: "starting", evidence, launch: LAUNCH }));
}

/** The row after these were seen, one after the other, by a daemon that only stores what it decides. */
export function observe(row: SessionRow, ...observations: readonly Observation[]): SessionRow {
  return observations.reduce(
    (before, observation) =>
      bodiesOf(actionsOf(before, observation)).reduce((now, body) => step(now, body, T1), before),
    row,
  );
}

export function actionsOf(
  row: SessionRow,
  observation: Observation,
  { generation = row.generation, at = T1 }: { readonly generation?: number; readonly at?: Instant } = {},
): readonly Action[] {
  return decide(row, { observation, generation, at });
}

/** The names of the actions that are decided. Events that are appended together count once. */
export function actsOf(row: SessionRow, observation: Observation): string[] {
  const names = actionsOf(row, observation).map((action) => action.do);
  return names.filter((name, index) => name !== "append" || names[index - 1] !== "append");
}

export function bodiesOf(actions: readonly Action[]): EventBody[] {
  return actions.flatMap((action) => (action.do === "append" ? [action.body] : []));
}

export function launched(isReady = false): Observation {
  return { saw: "launched", process: AGENT, isReady };
}

type Said = "loading" | "working" | "ready" | "good" | "aborted" | "failed" | "permission" | "trust";

export function said(
  what: Said,
  given: Partial<Pick<Signal, "source" | "fillsGap" | "ifUnreported">> = {},
): Observation {
  const evidence = { source: "terminal", rule: "test", excerpt: null, ...given } as const;
  return { saw: "signal", trust: TRUST, signal: signalOf(what, evidence) };
}

function signalOf(
  what: Said,
  evidence: Pick<Signal, "source" | "rule" | "excerpt" | "fillsGap" | "ifUnreported">,
): Signal {
  switch (what) {
    case "loading":
    case "working":
    case "ready":
      return { ...evidence, says: what };
    case "good":
    case "aborted":
    case "failed":
      return { ...evidence, says: "ready", turn: what };
    case "permission":
    case "trust":
      return { ...evidence, says: "asking", asked: asked({ for: what }) };
  }
}

export function asked(given: Partial<Asked>): Asked {
  return { ...AT_PROMPT, for: "permission", ...given };
}

export function exitOf(
  agent: number | string | null,
  tree: TreeExit["tree"]["state"] = "empty",
  given: Partial<TreeExit> = {},
): TreeExit {
  return {
    agent: {
      code: typeof agent === "number" ? agent : null,
      signal: typeof agent === "string" ? agent : null,
      at: agent === null && given.reason !== "exec_failed" ? null : T1,
    },
    reason: "exited",
    error: null,
    tree: { state: tree, killed: 0, remaining: [] },
    ...given,
  };
}

export function exited(
  ...[agent, tree, given]: Parameters<typeof exitOf>
): Extract<Observation, { saw: "exit" }> {
  return { saw: "exit", exit: exitOf(agent, tree, given), leftovers: [], tellsTurns: true };
}

/** The traces that a daemon finds: none, on the same boot, unless given. */
export function found(given: Partial<Traces> = {}): Extract<Observation, { saw: "traces" }> {
  const traces: Traces = {
    bootId: "boot-a",
    ageMs: 60_000,
    holderBootId: "boot-a",
    isHolderAlive: false,
    isGuardAlive: false,
    agent: AGENT,
    exit: null,
    leftovers: [],
    survivors: [],
    wasEmpty: false,
    ...given,
  };
  return { saw: "traces", traces, tellsTurns: true };
}

export const END: Observation = { saw: "end_asked", graceMs: 10_000 };
export const PAUSE: Observation = { saw: "pause_asked" };
export const CONTINUE: Observation = { saw: "continue_asked" };
export const NOT_READY: Observation = { saw: "not_ready", afterMs: 60_000 };
export const TIMEOUT: Observation = {
  saw: "limit_passed",
  limit: { kind: "timeout", allowed: 60_000, unit: "ms" },
  passedMs: 60_000,
  graceMs: 10_000,
};
export const GONE: Observation = { saw: "holder_gone" };
