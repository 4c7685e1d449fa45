import { checkFlag, checkInstant, checkMetadata, checkText, show } from "../../domain/check.ts";
import { RollcallError } from "../../domain/errors.ts";
import { isJsonObject, type JsonObject } from "../../domain/json.ts";
import { NO_TOTALS } from "../../domain/session/apply.ts";
import { DEFAULT_IDENTITY } from "../../domain/session/session.ts";
import { WAITING_FOR, type WaitingFor } from "../../domain/session/state.ts";
import type { NewestTurn, Turn } from "../../domain/session/turn.ts";
import type { DeclaredTotals } from "../../domain/usage.ts";

type Reader = (value: unknown, name: string) => unknown;

/** The fields of the row that a record file brings, each in the form that the store keeps. Throws `bad_input`. */
export function readFields(file: JsonObject): JsonObject {
  const names = Object.keys(READERS).filter((name) => file[name] !== undefined);
  return Object.fromEntries(
    names.map((name) => [name, READERS[name]?.(file[name], name)]),
  ) as unknown as JsonObject;
}

/** The ledger is lost with the store; its sums are not. */
export function readTotals({ usage, tokenUsage }: JsonObject): DeclaredTotals | null {
  if (usage !== undefined && usage !== null) {
    const sums = checkObject(usage, "usage");
    return (sums.tokensTotal ?? null) === null ? null : pickTotals(sums, "usage");
  }
  if (tokenUsage === undefined || tokenUsage === null || usage === null) return null;
  const { input = null, output = null } = checkObject(tokenUsage, "tokenUsage");
  return pickTotals({ tokensInput: input, tokensOutput: output }, "tokenUsage");
}

export function checkObject(value: unknown, what: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new RollcallError("bad_input", `${what} must be an object, not ${show(value)}.`);
}

export function checkObjects(value: unknown, what: string): readonly JsonObject[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value))
    throw new RollcallError("bad_input", `${what} must be a list, not ${show(value)}.`);
  return value.map((item, index) => checkObject(item, `${what}[${index}]`));
}

export function orNull(read: Reader): Reader {
  return (value, name) => (value === null ? null : read(value, name));
}

/** A text of any length: a record that was kept once is not refused for being long. */
export function readText(value: unknown, name: string): string {
  return checkText(value, name, Number.POSITIVE_INFINITY);
}

/** Words of closed lists are only texts here: one that this version does not know becomes the neutral one. */
const READERS: Readonly<Record<string, Reader>> = {
  ...Object.fromEntries(Object.keys(DEFAULT_IDENTITY).map((name) => [name, orNull(readText)])),
  agentType: readText,
  kind: readText,
  channel: readText,
  metadata: checkMetadata,
  id: readText,
  origin: readText,
  process: orNull(fields({ pid: checkNumber, startTime: readText, bootId: readText })),
  state: readText,
  stateSince: checkInstant,
  stateSource: readText,
  waiting: orNull(
    fields({
      for: readWaitingFor,
      requestId: orNull(readText),
      tool: orNull(readText),
      input: orNull(checkObject),
      question: orNull(readText),
      options: orNull(list(readText)),
      since: checkInstant,
    }),
  ),
  turn: orNull(readTurn),
  waitedMs: checkNumber,
  phase: readText,
  history: list(fields({ fromPhase: readText, toPhase: readText, timestamp: checkInstant })),
  outcome: orNull(readText),
  endReason: orNull(readText),
  exitCode: orNull(checkNumber),
  exitSignal: orNull(readText),
  summary: orNull(readText),
  generation: checkNumber,
  startedAt: orNull(checkInstant),
  finalizedAt: orNull(checkInstant),
  lastActiveAt: checkInstant,
  lastInputAt: orNull(checkInstant),
  resumeReady: checkFlag,
  resumeCount: checkNumber,
  errorCount: checkNumber,
  lastError: orNull(fields({ message: readText, at: checkInstant })),
};

/** As it is shown; what the next decision would need is gone with the daemon that knew it. */
function readTurn(value: unknown, name: string): NewestTurn {
  const read = fields({
    number: checkNumber,
    state: readText,
    outcome: orNull(readText),
    error: orNull(readText),
    beganAt: checkInstant,
    endedAt: orNull(checkInstant),
  });
  const turn = read(value, name) as Turn;
  return { ...turn, isCommand: false, givenAt: null, isReported: true, sourceBefore: "declared" };
}

function readWaitingFor(value: unknown, name: string): WaitingFor {
  const word = readText(value, name);
  return WAITING_FOR.find((known) => known === word) ?? "dialog";
}

function pickTotals(sums: JsonObject, what: string): DeclaredTotals {
  const names = Object.keys(NO_TOTALS);
  const read = orNull(checkNumber);
  return Object.fromEntries(
    names.map((name) => [name, read(sums[name] ?? null, `${what}.${name}`)]),
  ) as unknown as DeclaredTotals;
}

/** Other keys are kept as they are: they may be those of a newer version. */
function fields(readers: Readonly<Record<string, Reader>>): Reader {
  return (value, name) => {
    const object = checkObject(value, name);
    const read = Object.entries(readers).map(([key, reader]) => [key, reader(object[key], `${name}.${key}`)]);
    return { ...object, ...Object.fromEntries(read) };
  };
}

function list(read: Reader): Reader {
  return (value, name) => {
    if (!Array.isArray(value))
      throw new RollcallError("bad_input", `${name} must be a list, not ${show(value)}.`);
    return value.map((item, index) => read(item, `${name}[${index}]`));
  };
}

function checkNumber(value: unknown, name: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new RollcallError("bad_input", `${name} must be a number, not ${show(value)}.`);
}
