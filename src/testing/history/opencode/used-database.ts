import { copyFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { changeOpencode, type OpencodeMessage, type OpencodeSession, writeOpencode } from "./database.ts";

/** A database that a program has in use: its log stands beside it. */
export interface UsedDatabase extends Disposable {
  /** Brings the session to these messages. */
  write(messages: readonly OpencodeMessage[], given?: Partial<OpencodeSession>): void;
  /** Runs a statement, as OpenCode does when a person takes something back. */
  change(statement: string): void;
  /** Puts a copy there that looks as in use, and that no process has open. */
  copyTo(path: string): void;
}

export function usedDatabase(path: string): UsedDatabase {
  mkdirSync(dirname(path), { recursive: true });
  const held = new Database(path);
  held.pragma("journal_mode = WAL");
  held.pragma("wal_autocheckpoint = 0");
  held.exec("CREATE TABLE IF NOT EXISTS held (id)");
  return {
    write: (messages, given = {}) =>
      writeOpencode(path, [{ id: "ses_1", parentId: null, createdMs: 1, messages, ...given }]),
    change: (statement) => changeOpencode(path, statement),
    copyTo: (to) => {
      mkdirSync(dirname(to), { recursive: true });
      for (const end of ["-shm", "-wal", ""]) copyFileSync(`${path}${end}`, `${to}${end}`);
    },
    [Symbol.dispose]: () => void held.close(),
  };
}

export function userMessage(id: string, created: number): OpencodeMessage {
  return { id, data: { role: "user", time: { created } }, parts: [{ type: "text", text: id }] };
}

/** Open until the time at which it was completed is given. */
export function answerMessage(id: string, created: number, completed?: number): OpencodeMessage {
  const time = completed === undefined ? { created } : { created, completed };
  return { id, data: { role: "assistant", time }, parts: [{ type: "text", text: id }] };
}
