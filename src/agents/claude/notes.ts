import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { Notes } from "../agent.ts";
import type { Call } from "./asked.ts";

/** Calls that hooks told of and that no report has asked for yet: either may come first. */
export function callsIn({ calls }: Notes): readonly Call[] {
  return listIn(calls).flatMap((value) =>
    isJsonObject(value) && typeof value.tool === "string" && isJsonObject(value.input)
      ? [{ tool: value.tool, input: value.input }]
      : [],
  );
}

/** A request of the stream, with the input as it is: what the record shows of it has no secrets in it. */
export interface Pending extends Call {
  readonly requestId: string;
  readonly callId: string | null;
  /** Rules that Claude offers to remember, so that it need not ask for such calls again. */
  readonly rules: readonly JsonObject[];
}

/** Requests of the stream that nobody has answered, the oldest first. */
export function pendingIn({ pending }: Notes): readonly Pending[] {
  return listIn(pending).flatMap((value) => {
    if (!isJsonObject(value) || typeof value.requestId !== "string" || typeof value.tool !== "string")
      return [];
    const { requestId, tool, callId, input, rules } = value;
    return isJsonObject(input)
      ? [
          {
            requestId,
            tool,
            input,
            callId: typeof callId === "string" ? callId : null,
            rules: rulesIn(rules),
          },
        ]
      : [];
  });
}

/** Keeps only the suggested rules for calls: other suggestions would stop Claude from asking for much more. */
export function rulesIn(suggestions: Json | undefined): readonly JsonObject[] {
  const all = Array.isArray(suggestions) ? suggestions.filter(isJsonObject) : [];
  return all.filter(({ type, behavior }) => type === "addRules" && behavior === "allow");
}

function listIn(text: string | undefined): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
