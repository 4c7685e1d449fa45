import type { Asked, Signal } from "../../domain/supervise/signal.ts";

type Source = Signal["source"];
type Ready = Extract<Signal, { says: "ready" }>;
type Turn = NonNullable<Ready["turn"]>;

export function workingSignal(source: Source, rule: string, excerpt: string | null = null): Signal {
  return { source, rule, excerpt, says: "working" };
}

/** At its prompt; `inTurn` is how a turn went that was in progress until now. */
export function readySignal(source: Source, rule: string, inTurn?: Turn): Ready {
  return { source, rule, excerpt: null, says: "ready", ...(inTurn === undefined ? {} : { inTurn }) };
}

export function turnOverSignal(
  source: Source,
  rule: string,
  turn: Turn,
  excerpt: string | null = null,
): Signal {
  return { source, rule, excerpt, says: "ready", turn };
}

export function requestSignal(source: Source, rule: string, asked: Asked, excerpt: string | null): Signal {
  return { source, rule, excerpt, says: "asking", asked };
}
