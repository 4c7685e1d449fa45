import type { History } from "../../agents/history.ts";
import type { SubagentNote, SubagentRows } from "../../agents/subagents.ts";
import { rowsInUse, SEPARATOR } from "../../history/readers/databases.ts";
import { RecordTail } from "../tails/record-tail.ts";
import type { TailReader } from "../tails/tail.ts";
import type { FoundSubagent, SubagentFinder } from "./subagent-finder.ts";

interface Ports {
  /** The folder of the database, or the database itself; null where its sub-agents are not looked for. */
  readonly carrying: { readonly agentPaths: { readonly databases: string | null } };
  readonly target: { readonly nativeId: string | null };
}

/** Finds sub-agents in the database of their agent. Looks only when it is told to: whoever hears the session does. */
export class SubagentRowFinder implements SubagentFinder {
  readonly #ports: Ports;
  readonly #facts: SubagentRows;
  readonly #history: History;
  readonly #leftOut = new Set<string>();

  constructor(ports: Ports, facts: SubagentRows, history: History) {
    this.#ports = ports;
    this.#facts = facts;
    this.#history = history;
  }

  find(isKnown: (path: string) => boolean): readonly FoundSubagent[] {
    const { target, carrying } = this.#ports;
    const { databases } = carrying.agentPaths;
    const { database: spec } = this.#history;
    if (databases === null || target.nativeId === null || !spec) return [];
    const rows = rowsInUse(databases, spec, this.#facts.rows, { id: target.nativeId });
    return rows.flatMap(({ database, row }) => {
      const subagent = this.#facts.ofRow(row);
      const path = `${database}${SEPARATOR}${subagent?.nativeId}`;
      return subagent === undefined || isKnown(path) || this.#leftOut.has(path) ? [] : [{ path, subagent }];
    });
  }

  leaveOut(path: string): void {
    this.#leftOut.add(path);
  }

  tail(path: string, reader: TailReader): RecordTail {
    return new RecordTail(path, this.#history, reader);
  }

  noteOf(): SubagentNote {
    return {};
  }

  stop(): void {}
}
