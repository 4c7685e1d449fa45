import type { Json } from "../../../domain/json.ts";
import type { HistoryTree } from "../../history.ts";
import { countOf, objectOf } from "../../json-lines.ts";

/** The files of OpenCode before 1.2. Later releases take them into their database, and leave them where they are. */
export const tree: HistoryTree = {
  sessions: "storage/session",
  messages: "storage/message",
  parts: "storage/part",
  database: "opencode.db",
  sessionRecord: ({ id, parentID, directory, title, version, time }) => ({
    type: "session",
    ...{ id: known(id), parent: known(parentID), directory: known(directory), title: known(title) },
    ...{ version: known(version), agent: null, created: known(objectOf(time).created) },
  }),
  messageRecord: (message, parts) => ({
    ...{ type: "message", id: known(message.id), info: message },
    parts: parts.map((part) => ({ id: known(part.id), data: part })),
  }),
  createdMs: ({ time }) => countOf(objectOf(time).created) ?? 0,
};

function known(value: Json | undefined): Json {
  return value ?? null;
}
