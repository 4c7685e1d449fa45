import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { OpencodeSession } from "./database.ts";

/** Writes sessions as OpenCode did before it had a database: a file for each session, message and part. */
export function writeOpencodeTree(folder: string, sessions: readonly OpencodeSession[]): void {
  for (const { id, parentId, createdMs, messages } of sessions) {
    const updated = messages.at(-1)?.data.time.created ?? createdMs;
    const about = { directory: "/project", title: `About ${id}`, version: "1.0.150" };
    const parent = parentId === null ? {} : { parentID: parentId };
    const time = { created: createdMs, updated };
    write(folder, `session/global/${id}`, { id, projectID: "global", ...about, ...parent, time });
    for (const message of messages) {
      write(folder, `message/${id}/${message.id}`, { id: message.id, sessionID: id, ...message.data });
      for (const [index, part] of message.parts.entries()) {
        const name = `prt_${message.id}_${String(index).padStart(3, "0")}`;
        const of = { id: name, messageID: message.id, sessionID: id };
        write(folder, `part/${message.id}/${name}`, { ...of, ...part });
      }
    }
  }
}

function write(folder: string, name: string, content: object): void {
  const path = join(folder, "storage", `${name}.json`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(content, null, 2));
}
