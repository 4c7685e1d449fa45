import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The files that the programs of this home keep their conversations in; a database with its log and index. */
export function transcripts(home: string): string[] {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" });
  const isOne = (name: string) => /(?:projects|sessions|chats)\/.*\.jsonl$|\/opencode\.db/.test(name);
  return names.filter(isOne).map((name) => join(home, name));
}
