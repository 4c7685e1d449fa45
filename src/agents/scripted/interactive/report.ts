import type { Json } from "../../../domain/json.ts";
import type { Parsed } from "../../parsed.ts";
import { readySignal, requestSignal, turnOf, workingSignal } from "../signals.ts";

/** A report of the program by OSC 7501. One with an `id` belongs to a helper of it. */
export function parseReport(fields: Readonly<Record<string, string>>): Parsed {
  const { app, id, state, kind, req } = fields;
  if (app !== "scripted") return {};
  if (id !== undefined) return id === "" ? {} : { child: { nativeId: id } };
  const rule = `report_${state}`;
  switch (state) {
    case "idle":
      return { signal: readySignal("terminal", rule, turnOf(fields.turn)) };
    case "working":
      return { signal: workingSignal("terminal", rule) };
    case "done":
      return { signal: readySignal("terminal", rule, "good") };
    case "error":
      return { signal: readySignal("terminal", rule, "failed", textIn(fields.msg)) };
    case "blocked":
      return parseRequest(rule, kind ?? null, req ?? null, fields);
    default:
      return {};
  }
}

function parseRequest(
  rule: string,
  kind: string | null,
  request_id: string | null,
  { msg, tool, input, options }: Readonly<Record<string, string>>,
): Parsed {
  const signal = requestSignal("terminal", rule, {
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
