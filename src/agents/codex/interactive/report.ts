import type { Asked, Signal } from "../../../domain/supervise/signal.ts";
import type { Parsed } from "../../parsed.ts";
import { type CodexMemory, openCalls } from "../memory.ts";
import { requestSignal, type Turn } from "../signals.ts";
import { questionRequest } from "./questions.ts";

const STATES: readonly unknown[] = ["idle", "working", "done", "error", "blocked"];

/**
 * `working` also stands for a moment when a conversation is opened, without any turn: then `idle` follows within 40 ms.
 * The rollout confirms a real one sooner than this.
 */
const SETTLE_MS = 500;
/** After a request that was denied it stands for a moment, too, before the turn is over. */
const SETTLE_AFTER_REQUEST_MS = 100;

/**
 * A report of Codex by OSC 7501. It reports `working` as long as a command runs in the background, so that the end of a
 * turn may be missing: the rollout has those, and how a turn went. A report with an `id` belongs to a sub-agent.
 */
export function parseReport(
  { app, id, state, kind }: Readonly<Record<string, string>>,
  memory: CodexMemory,
): Parsed<CodexMemory> {
  if (app !== "codex") return {};
  if (id !== undefined) return id === "" ? {} : { child: { nativeId: id } };
  if (!STATES.includes(state)) return {};
  const signal = signalOf(state as string, kind, memory);
  const loaded = state === "working" ? {} : { isLoaded: true };
  const isOver = state === "done" || state === "error";
  return {
    ...(signal ? { signal } : {}),
    ...(isOver ? { awaits: "turn" } : {}),
    memory: { report: state as string, ...loaded },
  };
}

function signalOf(state: string, kind: string | undefined, memory: CodexMemory): Signal | undefined {
  const evidence = { source: "terminal", rule: `report_${state}`, excerpt: null } as const;
  switch (state) {
    case "working":
      return workingSignal(evidence, memory);
    case "idle":
      return { ...evidence, says: "ready", ...(memory.isTurnOpen === true ? { inTurn: "aborted" } : {}) };
    case "blocked":
      return requestSignal(
        evidence,
        kind === "question" ? questionRequest(memory) : permissionRequest(memory),
      );
    default:
      return { ...evidence, says: "ready", ...turnResult(state === "done" ? "good" : "failed", memory) };
  }
}

function workingSignal(
  evidence: { readonly source: "terminal"; readonly rule: string; readonly excerpt: null },
  { isLoaded, isTurnOpen, report }: CodexMemory,
): Signal | undefined {
  // It starts its MCP servers, and has no prompt yet.
  if (isLoaded !== true) return { ...evidence, says: "loading" };
  // The last report, repeated.
  if (report === "working" && isTurnOpen === false) return undefined;
  if (report === "blocked" && isTurnOpen !== false)
    return { ...evidence, says: "working", settleMs: SETTLE_AFTER_REQUEST_MS };
  return { ...evidence, says: "working", ...(isTurnOpen === true ? {} : { settleMs: SETTLE_MS }) };
}

/** The rollout says how each turn went; a late `done` belongs to a command in the background. */
function turnResult(turn: Turn, memory: CodexMemory): { readonly turn?: Turn; readonly inTurn?: Turn } {
  return typeof memory.isTurnOpen === "boolean" ? { inTurn: turn } : { turn };
}

/** The tools that ask for a permission; a call of any other may be open meanwhile, such as one that waits for a helper. */
const ASKING: readonly string[] = ["exec_command", "apply_patch"];

/** The report does not name its call. Calls run in their order, but for those that need no permission. */
function permissionRequest(memory: CodexMemory): Partial<Asked> {
  const calls = openCalls(memory);
  const call = calls.find(({ input }) => input.sandbox_permissions === "require_escalated") ?? calls[0];
  return call && ASKING.includes(call.name) ? { tool: call.name, input: call.input } : {};
}
