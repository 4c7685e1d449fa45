import { writeAnswer, writeErrorStub } from "./answer.ts";
import type { ClaudeRecord, ClaudeSession } from "./session.ts";

/** Writes one turn: a prompt, and the answers of the model until it rests. */
export function writeTurn(session: ClaudeSession): void {
  const { world } = session;
  writeContext(session);
  writePrompt(session);
  if (world.lay("claude: error stub in place of an answer", 0.08)) writeErrorStub(session);
  else writeAnswers(session);
  endTurn(session);
}

function writeAnswers(session: ClaudeSession): void {
  const { world } = session;
  const count = 1 + world.random.int(3);
  for (let index = 0; index < count; index++) {
    const isLast = index === count - 1;
    writeAnswer(session, isLast);
    if (!isLast && world.lay("claude: queued command in a turn", 0.08)) writeQueued(session);
    writeNoise(session);
  }
  if (world.lay("claude: error stub after an answer", 0.05)) writeErrorStub(session);
}

export function writePrompt(session: ClaudeSession): void {
  const { world } = session;
  const text = `${world.words(4)} ${world.hex(6)}`;
  const isWrapped = world.lay("claude: IDE wrapper before a prompt", 0.1);
  const wrapper = { type: "text", text: "<ide_selection>lines 1 to 3</ide_selection>" };
  const content = isWrapped
    ? [wrapper, { type: "text", text }]
    : world.random.chance(0.5)
      ? text
      : [{ type: "text", text }];
  const isQueued = session.isTurnClosed && world.lay("claude: queued prompt", 0.2);
  const promptSource = isQueued ? "queued" : "typed";
  session.add(
    {
      type: "user",
      message: { role: "user", content },
      ...(session.hasPromptSource ? { promptSource, promptId: world.uuid() } : {}),
    },
    { turn: text },
  );
}

/** Texts in the place of a person's that are no prompts. */
function writeContext(session: ClaudeSession): void {
  const { world } = session;
  const text = (content: string, more: ClaudeRecord = {}) =>
    session.add({ type: "user", message: { role: "user", content }, ...more });
  if (world.lay("claude: IDE wrapper alone", 0.1)) text("<ide_opened_file>a.ts</ide_opened_file>");
  if (world.lay("claude: meta record", 0.15)) text("Caveat: local commands below", { isMeta: true });
  if (session.leaf !== null && world.lay("claude: compaction", 0.08)) {
    const logicalParentUuid = session.leaf;
    session.add({
      type: "system",
      subtype: "compact_boundary",
      content: "Conversation compacted",
      parentUuid: null,
      logicalParentUuid,
      compactMetadata: { trigger: "auto", preTokens: 150_000 },
    });
    text("This session is being continued", { isCompactSummary: true, isVisibleInTranscriptOnly: true });
  }
}

function writeQueued(session: ClaudeSession): void {
  const prompt = session.world.words(3);
  session.addLoose({ type: "queue-operation", operation: "enqueue", timestamp: session.world.tick() });
  session.addLoose({ type: "queue-operation", operation: "remove", timestamp: session.world.tick() });
  session.add({ type: "attachment", attachment: { type: "queued_command", prompt } });
}

function endTurn(session: ClaudeSession): void {
  const { world } = session;
  const text = "[Request interrupted by user]";
  session.isTurnClosed = world.random.chance(0.6);
  if (session.isTurnClosed)
    session.add({ type: "system", subtype: "turn_duration", durationMs: 900, isMeta: false });
  else if (world.lay("claude: interrupted turn", 0.15))
    session.add({ type: "user", message: { role: "user", content: [{ type: "text", text }] } });
}

/** Records that are no part of the conversation, and lines that are no records. */
function writeNoise(session: ClaudeSession): void {
  const { world } = session;
  if (world.lay("claude: records without uuid", 0.3)) {
    session.addLoose({ type: "last-prompt", lastPrompt: "x", leafUuid: session.leaf });
    session.addLoose({
      type: "file-history-snapshot",
      messageId: session.leaf,
      snapshot: { trackedFileBackups: {} },
    });
  }
  if (world.lay("claude: unknown record type", 0.1))
    session.addLoose({
      type: "from-the-future",
      message: { id: `msg_${world.hex(8)}`, usage: { input_tokens: 12_345, output_tokens: 999 } },
    });
  const at = session.rows.length - 1;
  if (world.lay("claude: broken line", 0.05))
    session.rubbish.set(at, '{"type":"assistant","message":{"usage":');
  else if (world.lay("claude: line that is no object", 0.05)) session.rubbish.set(at, "[1, 2]");
  else if (world.lay("claude: empty line", 0.05)) session.rubbish.set(at, "");
  else if (world.lay("claude: line of zero bytes", 0.03)) session.rubbish.set(at, "\0\0\0\0");
}
