import { type JsonObject, readJsonObject } from "../../../domain/json.ts";
import { textFields, textOf } from "../../json-lines.ts";
import type { SubagentOfRow, SubagentRows } from "../../subagents.ts";
import { momentOf } from "../usage.ts";
import { type HistoryMemory, parseRecord } from "./history.ts";

/** Sub-agents of OpenCode: sessions with a parent, beside it in the database. */
export const subagents: SubagentRows<HistoryMemory> = {
  rows: `WITH RECURSIVE below(id, depth) AS (
      SELECT id, 1 FROM session WHERE parent_id = $id
      UNION SELECT s.id, b.depth + 1 FROM session s JOIN below b ON s.parent_id = b.id WHERE b.depth < 20)
    SELECT s.id, s.parent_id, s.agent, s.title, s.time_created, b.depth FROM below b
      JOIN session s ON s.id = b.id ORDER BY b.depth, s.time_created, s.id`,
  ofRow,
  memory: {},
  parse(line, memory) {
    const record = readJsonObject(line);
    return record === undefined ? {} : parseRecord(record, memory);
  },
};

function ofRow({ id, parent_id: parent, agent, title, time_created: created, depth }: JsonObject) {
  const nativeId = textOf(id) ?? "";
  if (nativeId === "") return undefined;
  const beganAt = momentOf(created);
  const subagent: SubagentOfRow = {
    nativeId,
    ...(depth === 1 ? {} : textFields({ parentNativeId: parent })),
    ...textFields({ agentName: agent, purpose: title }),
    ...(beganAt === undefined ? {} : { beganAt }),
  };
  return subagent;
}
