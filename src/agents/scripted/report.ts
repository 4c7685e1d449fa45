import type { Json } from "../../domain/json.ts";
import type { Seen } from "../agent.ts";
import { asking, ready, turnOf, working } from "./signals.ts";

/** What the program says by OSC 7501. Reports with an `id` are of its helpers and say nothing of itself. */
export function report(fields: Readonly<Record<string, string>>): Seen {
  if (fields.app !== "scripted" || fields.id !== undefined) return {};
  const { state, kind, req } = fields;
  const rule = `report_${state}`;
  switch (state) {
    case "idle":
      return { signal: ready("terminal", rule, turnOf(fields.turn)) };
    case "working":
      return { signal: working("terminal", rule) };
    case "done":
      return { signal: ready("terminal", rule, "good") };
    case "error":
      return { signal: ready("terminal", rule, "failed", textIn(fields.msg)) };
    case "blocked":
      return blocked(rule, kind ?? null, req ?? null, fields);
    default:
      return {};
  }
}

function blocked(
  rule: string,
  kind: string | null,
  request_id: string | null,
  { msg, tool, input, options }: Readonly<Record<string, string>>,
): Seen {
  const signal = asking("terminal", rule, {
    kind,
    request_id,
    tool: textIn(tool),
    input: jsonIn(input),
    question: kind === "question" ? textIn(msg) : null,
    options: jsonIn(options),
  });
  return signal === undefined ? {} : { signal };
}

function textIn(base64: string | undefined): string | null {
  return base64 === undefined ? null : Buffer.from(base64, "base64").toString();
}

function jsonIn(base64: string | undefined): Json {
  try {
    return JSON.parse(textIn(base64) ?? "null") as Json;
  } catch {
    return null;
  }
}
