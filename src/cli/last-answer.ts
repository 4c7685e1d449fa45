import type { Client } from "../client/client.ts";
import type { SessionRecord, Waiting } from "../domain/session.ts";
import { isLive, type State } from "../domain/state.ts";
import type { Rollcall } from "../record/rollcall.ts";
import { launchOf } from "./live.ts";
import type { Output } from "./output.ts";
import { answerCommand, questionOf } from "./request.ts";
import { offerWorktree } from "./worktree-offer.ts";

interface Waited {
  readonly session: SessionRecord;
  readonly reached: State | null;
}

const EXITS = { success: 0, failure: 1, interrupted: 4 } as const;

/** Waits for the end of an autonomous session, or for the next prompt of an interactive one; prints the last answer. */
export async function finishWait(
  client: Client,
  rollcall: Rollcall,
  output: Output,
  started: SessionRecord,
  after: number,
): Promise<number> {
  const until: readonly State[] = ["waiting_input", "stopped", "failed", "unknown"];
  let from = after;
  for (;;) {
    const { results } = await client.call<{ results: Waited[] }>("wait_for_session", {
      sessionIds: [started.id],
      until,
      after: from,
    });
    const waited = results[0] as Waited;
    const asked = await askedFor(rollcall, waited, from);
    const next = asked === "prompt" ? await passing(rollcall, waited.session, from) : undefined;
    if (next === undefined) return tell(rollcall, output, { ...waited, started, asked });
    from = next;
  }
}

/** What it waited for when it was reached: by now it may have gone on, or left. */
async function askedFor(
  rollcall: Rollcall,
  { session, reached }: Waited,
  after: number,
): Promise<Waiting["for"] | null> {
  if (reached !== "waiting_input") return null;
  if (session.waiting) return session.waiting.for;
  let asked: Waiting["for"] = "prompt";
  for await (const { body } of rollcall.events(session.id, { after }))
    if (body.kind === "state_changed" && body.waiting) asked = body.waiting.for;
  return asked;
}

/** Where to wait on from, at a prompt that is not the one that is waited for; undefined where it is. */
async function passing(
  rollcall: Rollcall,
  session: SessionRecord,
  from: number,
): Promise<number | undefined> {
  // It is done and about to leave.
  if (session.kind === "autonomous") return session.seq;
  const { row } = await launchOf(rollcall, session.id);
  if (!row.carried?.launch.hasPrompt) return undefined;
  // The prompt that its first text is for comes before the one behind that turn.
  const given = await firstTextSeq(rollcall, session.id);
  if (given === undefined) return session.seq;
  return from < given ? given : undefined;
}

async function firstTextSeq(rollcall: Rollcall, id: string): Promise<number | undefined> {
  for await (const { body, seq } of rollcall.events(id))
    if (body.kind === "input_given" && body.by === "prompt") return seq;
  return undefined;
}

interface Told extends Waited {
  readonly started: SessionRecord;
  readonly asked: Waiting["for"] | null;
}

async function tell(
  rollcall: Rollcall,
  output: Output,
  { started, session, reached, asked }: Told,
): Promise<number> {
  const answer = await lastAnswer(rollcall, session, started.seq);
  if (output.isJson) output.json({ session, reached, answer });
  else if (answer !== null && answer !== "") output.text(answer.endsWith("\n") ? answer : `${answer}\n`);
  const asks = asked !== null && asked !== "prompt";
  if (asks && session.waiting && !output.isJson)
    output.note(`${session.id} asks: ${questionOf(session)}\nAnswer with ${answerCommand(session)}`);
  if (asks) return 4;
  if (!isLive(session.state)) await offerWorktree(rollcall, output, session);
  return asked === "prompt" ? turnExit(rollcall, session.id) : exitOf(session);
}

function exitOf({ endReason, outcome }: SessionRecord): number {
  if (endReason === "timeout" || endReason === "idle_timeout") return 5;
  return outcome === null ? 1 : EXITS[outcome];
}

/** An interactive session at its prompt again: by how that turn went. */
async function turnExit(rollcall: Rollcall, id: string): Promise<number> {
  const { row } = await launchOf(rollcall, id);
  return { good: 0, failed: 1, aborted: 4 }[row.carried?.lastTurn ?? "good"];
}

/** What the agent said last; of a command, whose output is its transcript, all that it printed last in one piece. */
async function lastAnswer(
  rollcall: Rollcall,
  { id, agentType }: SessionRecord,
  after: number,
): Promise<string | null> {
  const isCommand = agentType === "unknown";
  let answer: string | null = null;
  let isOpen = false;
  for await (const entry of rollcall.entries(id, { after })) {
    const isSaid =
      entry.role === "assistant" && entry.kind === "text" && entry.text !== null && entry.name !== "stderr";
    if (isSaid) answer = isOpen && isCommand ? `${answer ?? ""}${entry.text}` : entry.text;
    isOpen = isSaid || (isOpen && entry.name === "stderr");
  }
  return answer;
}
