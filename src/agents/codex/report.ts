import type { Asked, Signal } from "../../domain/supervise/signal.ts";
import type { Notes, Seen } from "../agent.ts";
import { openCalls } from "./calls.ts";
import { questionAsked } from "./questions.ts";
import { asking, type Turn } from "./signals.ts";

const STATES: readonly unknown[] = ["idle", "working", "done", "error", "blocked"];

/**
 * `working` also stands for a moment when a conversation is opened, without any turn: then `idle` follows within 40 ms.
 * The rollout confirms a real one sooner than this.
 */
const SETTLE_MS = 500;
/** After a request that was denied it stands for a moment, too, before the turn is over. */
const SETTLE_AFTER_REQUEST_MS = 100;

/**
 * What Codex says by OSC 7501. It goes on saying `working` while a command runs in the background, so that the end of a turn
 * may go unsaid: the rollout tells those, and how a turn went.
 */
export function report({ app, id, state, kind }: Readonly<Record<string, string>>, notes: Notes): Seen {
  if (app !== "codex" || id !== undefined || !STATES.includes(state)) return {};
  const signal = signalOf(state as string, kind, notes);
  const reached = state === "working" ? {} : { isLoaded: "yes" };
  const isOver = state === "done" || state === "error";
  return {
    ...(signal ? { signal } : {}),
    ...(isOver ? { awaits: "turn" } : {}),
    notes: { report: state as string, ...reached },
  };
}

function signalOf(state: string, kind: string | undefined, notes: Notes): Signal | undefined {
  const evidence = { source: "terminal", rule: `report_${state}`, excerpt: null } as const;
  switch (state) {
    case "working":
      return working(evidence, notes);
    case "idle":
      return { ...evidence, says: "ready", ...(notes.turn === "open" ? { inTurn: "aborted" } : {}) };
    case "blocked":
      return asking(evidence, kind === "question" ? questionAsked(notes) : askedIn(notes));
    default:
      return { ...evidence, says: "ready", ...result(state === "done" ? "good" : "failed", notes) };
  }
}

function working(
  evidence: { readonly source: "terminal"; readonly rule: string; readonly excerpt: null },
  notes: Notes,
): Signal | undefined {
  // It starts its MCP servers, and has no prompt yet.
  if (notes.isLoaded === undefined) return { ...evidence, says: "loading" };
  // The last report, told once more.
  if (notes.report === "working" && notes.turn === "over") return undefined;
  if (notes.report === "blocked" && notes.turn !== "over")
    return { ...evidence, says: "working", settleMs: SETTLE_AFTER_REQUEST_MS };
  return { ...evidence, says: "working", ...(notes.turn === "open" ? {} : { settleMs: SETTLE_MS }) };
}

/** Where the rollout is read it tells how each turn went; a late `done` is of a command in the background. */
function result(turn: Turn, notes: Notes): { readonly turn?: Turn; readonly inTurn?: Turn } {
  return notes.turn === undefined ? { turn } : { inTurn: turn };
}

/** The tools that ask for a permission; a call of any other may be open meanwhile, such as one that waits for a helper. */
const ASKING: readonly string[] = ["exec_command", "apply_patch"];

/** The report does not say what is asked. Calls are taken up in their order, but for those that need no permission. */
function askedIn(notes: Notes): Partial<Asked> {
  const calls = openCalls(notes);
  const call = calls.find(({ input }) => input.sandbox_permissions === "require_escalated") ?? calls[0];
  return call && ASKING.includes(call.name) ? { tool: call.name, input: call.input } : {};
}
