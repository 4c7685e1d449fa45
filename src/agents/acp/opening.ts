import { isJsonObject, type JsonObject } from "../../domain/json.ts";
import { idOf, jsonLines, listOf, objectOf, textFields, textOf } from "../json-lines.ts";
import type { Parsed } from "../parsed.ts";
import { errorText } from "./error-text.ts";
import { type AcpMemory, continuedOf } from "./memory.ts";
import { modelOf, modelRequest } from "./models.ts";
import { AUTH_REQUIRED, OPEN, request, VERSION } from "./protocol.ts";
import { noticeEntry, readySignal, refusedParsed } from "./signals.ts";

const MOST_AUTH_NAMES = 20;

/** The name of each way to continue the conversation, in evidence and for people. */
const CONTINUED: Readonly<Record<string, string>> = {
  "session/resume": "session_resumed",
  "session/load": "session_loaded",
  "session/fork": "session_forked",
};

/** The answer to our first line: what the agent offers. The conversation is opened by what it offers. */
export function parseInitialized({ result, error }: JsonObject, memory: AcpMemory): Parsed<AcpMemory> {
  if (isJsonObject(error)) return refusedParsed(`The agent refused to begin: ${errorText(error)}`);
  const { protocolVersion, agentCapabilities, agentInfo, authMethods } = objectOf(result);
  if (protocolVersion !== VERSION)
    return refusedParsed(
      `The agent speaks version ${JSON.stringify(protocolVersion ?? null)} of the protocol; Rollcall speaks ${VERSION}.`,
    );
  const offers = objectOf(agentCapabilities);
  const method = openingMethod(memory, offers);
  if (method === undefined) return refusedParsed(cannotContinue(memory));
  const names = listOf(authMethods)
    .slice(0, MOST_AUTH_NAMES)
    .flatMap((one) => idOf(objectOf(one).name) ?? []);
  const { close, fork } = objectOf(offers.sessionCapabilities);
  return {
    identity: textFields({ agentVersion: objectOf(agentInfo).version }),
    memory: { opening: method, authNames: names, canClose: isJsonObject(close), canFork: isJsonObject(fork) },
    reply: jsonLines(request(OPEN, method, openingParams(memory))),
  };
}

function openingMethod(memory: AcpMemory, offers: JsonObject): string | undefined {
  const { resume, fork } = objectOf(offers.sessionCapabilities);
  switch (continuedOf(memory)?.how) {
    case undefined:
      return "session/new";
    case "fork":
      return isJsonObject(fork) ? "session/fork" : undefined;
    default:
      if (isJsonObject(resume)) return "session/resume";
      return offers.loadSession === true ? "session/load" : undefined;
  }
}

function cannotContinue(memory: AcpMemory): string {
  return continuedOf(memory)?.how === "fork"
    ? "The agent does not offer session/fork, so its conversation cannot be forked; end this session."
    : "The agent offers neither session/resume nor session/load, so its conversation cannot be continued; end this session.";
}

function openingParams(memory: AcpMemory): object {
  const continued = continuedOf(memory);
  const at = { cwd: textOf(memory.cwd) ?? "/", mcpServers: [] };
  return continued === null ? at : { sessionId: continued.nativeId, ...at };
}

/** The conversation is open. What a loaded one has replayed before is not new. */
export function parseOpened({ result, error }: JsonObject, memory: AcpMemory): Parsed<AcpMemory> {
  const method = textOf(memory.opening) ?? "";
  if (isJsonObject(error)) return openingRefused(method, error, memory);
  const opened = objectOf(result);
  const before = continuedOf(memory);
  const session = idOf(opened.sessionId) ?? (before?.how === "resume" ? before.nativeId : null);
  if (session === null)
    return refusedParsed(`The agent answered ${method} without the id of a conversation.`);
  const choice = modelRequest(session, opened, textOf(memory.wantedModel));
  const rule = CONTINUED[method] ?? "session_opened";
  const notices = [
    ...(method in CONTINUED ? [`The conversation was continued by ${method}.`] : []),
    ...(typeof choice === "string" ? [choice] : []),
  ];
  const isWaiting = choice !== undefined && typeof choice !== "string";
  return {
    identity: textFields({ nativeId: session, model: modelOf(opened) }),
    // The earlier cost of a continued conversation is reported later, if at all.
    memory: { session, ...(before === null ? { counted: 0 } : {}) },
    ...(notices.length === 0 ? {} : { entries: notices.map((text) => noticeEntry(text)) }),
    ...(isWaiting ? { reply: jsonLines(choice) } : { signal: readySignal(rule) }),
  };
}

function openingRefused(method: string, error: JsonObject, memory: AcpMemory): Parsed<AcpMemory> {
  if (error.code !== AUTH_REQUIRED)
    return refusedParsed(`The agent refused ${method}: ${errorText(error)} End this session.`);
  const names = listOf(memory.authNames).filter((name) => typeof name === "string");
  const how = names.length === 0 ? "" : ` It offers: ${names.join(", ")}.`;
  return refusedParsed(`The agent has to be logged in, then started again.${how}`, "login");
}

/** The answer to our choice of a model; without it the agent goes on with its own. */
export function parseModelChosen({ error }: JsonObject, memory: AcpMemory): Parsed<AcpMemory> {
  const model = textOf(memory.wantedModel);
  const signal = readySignal("model_chosen");
  if (isJsonObject(error)) {
    const why = `The agent did not take the model ${JSON.stringify(model)}: ${errorText(error)}`;
    return { signal, entries: [noticeEntry(why)] };
  }
  return { signal, ...(model === null ? {} : { identity: { model } }) };
}
