import type { Database } from "better-sqlite3";
import type { ToolUse } from "../../../domain/tally/tool-use.ts";
import type { ClosedWait } from "../../../domain/tally/wait.ts";
import { LazyStatement } from "./lazy-statement.ts";

/** Counts of a session beside its row, so that statistics read none of its events. */
export class TallyTable {
  readonly #addWait: LazyStatement<[number, string, string, number]>;
  readonly #addUse: LazyStatement<[number, string, number, number]>;

  constructor(db: Database) {
    this.#addWait = new LazyStatement(
      db,
      `INSERT INTO waits (session, since, waited_for, ms) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET ms = ms + excluded.ms`,
    );
    this.#addUse = new LazyStatement(
      db,
      `INSERT INTO tool_uses (session, tool, calls, failures) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, failures = failures + excluded.failures`,
    );
  }

  addWait(no: number, wait: ClosedWait): void {
    if (wait.ms > 0) this.#addWait.run(no, wait.since, wait.for, wait.ms);
  }

  addUses(no: number, uses: Iterable<ToolUse>): void {
    for (const { tool, calls, failures } of uses) this.#addUse.run(no, tool, calls, failures);
  }
}

/** The uses of each tool, added up. */
export class ToolUses {
  readonly #uses = new Map<string, ToolUse>();

  add({ tool, calls, failures }: ToolUse): void {
    const known = this.#uses.get(tool);
    this.#uses.set(tool, {
      tool,
      calls: (known?.calls ?? 0) + calls,
      failures: (known?.failures ?? 0) + failures,
    });
  }

  values(): Iterable<ToolUse> {
    return this.#uses.values();
  }
}
