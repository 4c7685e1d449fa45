import { join } from "node:path";
import Database from "better-sqlite3";

/** Breaks the row of one session, as a bad disk would; mends it when disposed of. */
export function damageRecord(user: { readonly state: string }, id: string): Disposable {
  const whole = replaceBody(user.state, id, "{");
  return { [Symbol.dispose]: () => void replaceBody(user.state, id, whole) };
}

function replaceBody(state: string, id: string, body: string): string {
  const db = new Database(join(state, "rollcall.db"));
  try {
    const before = db.prepare<[string], { body: string }>("SELECT body FROM sessions WHERE id = ?").get(id);
    if (!before) throw new Error(`There is no session ${id}.`);
    db.prepare("UPDATE sessions SET body = ? WHERE id = ?").run(body, id);
    return before.body;
  } finally {
    db.close();
  }
}
