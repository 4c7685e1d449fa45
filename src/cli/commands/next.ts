import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RollcallError } from "../../domain/errors.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import { runFolder } from "../../home/layout.ts";
import { nextWaiting, type Visits } from "../../present/next-waiting.ts";
import { canAttach } from "../../present/roll-order.ts";
import { type Command, JSON_OPTION } from "../framework/command.ts";
import { freshen } from "../freshen.ts";
import { withRollcall } from "../open.ts";
import { attachTo } from "../sessions/attach.ts";

export const command: Command = {
  words: "",
  takes: [0, 0],
  about:
    "Attaches to the session that has waited for a person the longest: first those that ask, then those at a prompt. Called again, it moves on to the next one, and behind the last it begins again.\nWith --json it only says which one that is.",
  options: { json: JSON_OPTION },
  examples: [
    ["rollcall next", "work through them one by one"],
    ["rollcall next --json", "the id, for a program"],
  ],
  async run(_, output) {
    return withRollcall(output, async (rollcall) => {
      const freshness = await freshen(rollcall, output);
      const waiting = await Array.fromAsync(rollcall.list({ state: "waiting_input" }));
      const folder = runFolder(rollcall.context.home);
      const next = nextWaiting(waiting.filter(output.isJson ? isCarried : canAttach), readVisits(folder));
      if (!next)
        throw new RollcallError("wrong_state", "No session waits for you.", { hint: "See `rollcall`." });
      writeVisits(folder, next.visits);
      if (!output.isJson) return attachTo(rollcall, output, next.session.id);
      output.json({ sessionId: next.session.id, ...freshness });
      return 0;
    });
  },
};

function isCarried({ origin }: SessionRecord): boolean {
  return origin === "started";
}

/** An unreadable file counts as no visits. */
function readVisits(folder: string): Visits {
  try {
    return JSON.parse(readFileSync(join(folder, "next.json"), "utf8")) as Visits;
  } catch {
    return {};
  }
}

/** Worth nothing after a reboot, and no reason to fail. */
function writeVisits(folder: string, visits: Visits): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, "next.json"), JSON.stringify(visits), { mode: 0o600 });
  } catch {
    // A full disk: the same one comes again.
  }
}
