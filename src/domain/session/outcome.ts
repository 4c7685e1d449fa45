/** How a session ended. */
export const OUTCOMES = ["success", "failure", "interrupted"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How the last turn before an end went; null where there was none, or where turns cannot be seen. */
export type LastTurn = "good" | "aborted" | "failed" | null;

/** Everything the outcome of an end depends on. */
export type Ending =
  /** Someone asked for the end. `atPrompt`: no turn in progress, no request pending. */
  | {
      readonly how: "asked";
      readonly atPrompt: boolean;
      readonly lastTurn: LastTurn;
      /** The word of who asked; null where it depends on the rest. */
      readonly outcome: Outcome | null;
    }
  /** It left by itself. `tellsTurns` is false for a plain command, whose exit code says all there is. */
  | {
      readonly how: "left";
      readonly clean: boolean;
      readonly tellsTurns: boolean;
      readonly lastTurn: LastTurn;
    }
  /** A budget or time-out ended it. */
  | { readonly how: "limit" };

/** The state that an end leads to, with its outcome. */
export type End =
  | { readonly state: "stopped"; readonly outcome: Outcome | null }
  | { readonly state: "failed"; readonly outcome: "failure" };

/** Only what nobody asked for can fail. */
export function endOf(ending: Ending): End {
  const isFailure = ending.how === "left" && !ending.clean;
  return isFailure
    ? { state: "failed", outcome: "failure" }
    : { state: "stopped", outcome: outcomeOf(ending) };
}

const BY_TURN: Readonly<Record<"good" | "aborted" | "failed", Outcome>> = {
  good: "success",
  aborted: "interrupted",
  failed: "failure",
};

export function outcomeOf(ending: Ending): Outcome | null {
  switch (ending.how) {
    case "asked":
      if (ending.outcome) return ending.outcome;
      return ending.atPrompt && ending.lastTurn ? BY_TURN[ending.lastTurn] : "interrupted";
    case "left":
      if (!ending.clean) return "failure";
      if (!ending.tellsTurns) return "success";
      // Exit 0 of an agent is never success by itself.
      return ending.lastTurn ? BY_TURN[ending.lastTurn] : null;
    case "limit":
      return "interrupted";
  }
}
