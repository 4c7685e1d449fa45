import type { JsonObject } from "../../../domain/json.ts";
import { countOf, listOf, objectOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import type { CatchUp } from "../../sources.ts";
import { readySignal, requestSignal, turnOf, workingSignal } from "../signals.ts";
import { lastIdOf } from "./events.ts";
import type { HttpMemory } from "./memory.ts";

/** The requests that nobody has answered yet. */
export const catchUpOnRequests: CatchUp<HttpMemory> = {
  path: () => "/permission",
  parse: (body, memory) => {
    const answer = objectOf(body);
    const [request] = listOf(answer.requests);
    const asked = { memory: { isAsking: request !== undefined } };
    if (request === undefined || isBrought(answer, memory)) return asked;
    const signal = requestSignal("protocol", "pending_request", objectOf(request));
    return { ...asked, ...(signal === undefined ? {} : { signal }) };
  },
};

/** Whether it works or rests. */
export const catchUpOnStatus: CatchUp<HttpMemory> = {
  path: () => "/status",
  parse: (body, memory) => {
    const answer = objectOf(body);
    if (isBrought(answer, memory)) return {};
    const lost = lostNotice(answer, memory);
    if (answer.state === "working" && memory.isAsking !== true)
      return { ...lost, signal: workingSignal("protocol", "status_working") };
    if (answer.state !== "idle") return lost;
    // How a turn went that ended unseen; else it is known.
    const turn = isGap(answer, memory) ? turnOf(answer.last_turn) : undefined;
    return { ...lost, signal: readySignal("protocol", "status_idle", turn) };
  },
};

/** Whether events that led to this answer are still to be read: they tell it in their order. */
function isBrought(answer: JsonObject, memory: HttpMemory): boolean {
  const lastId = countOf(answer.last_event_id) ?? 0;
  return lastId > lastIdOf(memory) && !isGap(answer, memory);
}

/** Whether the server has no more all events that nobody has read. */
function isGap(answer: JsonObject, memory: HttpMemory): boolean {
  return (countOf(answer.first_event_id) ?? 0) > lastIdOf(memory) + 1;
}

function lostNotice(answer: JsonObject, memory: HttpMemory): Pick<Parsed<HttpMemory>, "entries"> {
  if (!isGap(answer, memory)) return {};
  const lost = (countOf(answer.first_event_id) ?? 0) - lastIdOf(memory) - 1;
  const text = `${lost} events of the agent were not read in time and are lost.`;
  return { entries: [{ role: "system", kind: "notice", text, tool: null }] };
}
