import type { Agent } from "../../agents/agent.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import type { Source } from "../sources/source.ts";
import { SubagentFileFinder } from "./subagent-files.ts";
import type { FoundSubagent, SubagentFinder } from "./subagent-finder.ts";
import { type ReaderPorts, SubagentReader } from "./subagent-reader.ts";
import { recordOfSubagent } from "./subagent-record.ts";
import { SubagentRowFinder } from "./subagent-rows.ts";

/** How long nothing more has to come from one that is done. */
const LAST_WORDS_MS = 5000;

interface Ports extends ReaderPorts {
  /** The session itself. */
  readonly id: string;
  readonly target: { readonly nativeId: string | null };
  /** Its transcript; null while nobody knows where it is. */
  readonly transcript: { readonly path: string | null };
  /** With the database of its agent, for agents that keep one. */
  readonly carrying: { readonly agentPaths: { readonly databases: string | null } };
}

/** Finds the sub-agents of one session and follows each of them into a child session of its own. */
export class SubagentWatch implements Source {
  readonly #ports: Ports;
  readonly #facts: Agent["subagents"];
  readonly #finder: SubagentFinder | undefined;
  readonly #readers = new Map<string, SubagentReader>();
  /** The ids of the records, by the id that the agent gave the sub-agent. */
  readonly #records = new Map<string, string>();
  /** Since when those are done whose transcript does not say so. */
  readonly #finished = new Map<string, number>();
  readonly #queue = new SerialQueue();
  /** When the next look is due. */
  #dueMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(ports: Ports, agent: Pick<Agent, "subagents" | "history">) {
    this.#ports = ports;
    this.#facts = agent.subagents;
    this.#finder = finderOf(ports, agent, (afterMs) => this.lookSoon(afterMs));
  }

  begin(): void {
    this.lookSoon();
  }

  async catchUp(): Promise<void> {
    const finder = this.#finder;
    if (finder && !this.#isStopped) await this.#queue.run(async () => this.#look(finder));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#finder?.stop();
    for (const reader of this.#readers.values()) reader.stop();
  }

  /** Something shows that there may be another sub-agent. Many hints at once are one look. */
  lookSoon(afterMs = 0): void {
    const dueMs = performance.now() + afterMs;
    if (!this.#finder || this.#dueMs <= dueMs || this.#isStopped) return;
    this.#dueMs = dueMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#dueMs = Number.POSITIVE_INFINITY;
      void this.#logged(this.catchUp());
    }, afterMs);
  }

  /** The session says that these are done with their task, whatever their own transcripts say. */
  finish(nativeIds: readonly string[]): void {
    void this.#logged(this.#finish(nativeIds));
  }

  async #finish(nativeIds: readonly string[]): Promise<void> {
    await this.catchUp();
    const ids = nativeIds.map((nativeId) => this.#records.get(nativeId));
    for (const reader of this.#readers.values())
      if (ids.includes(reader.id) && reader.isTurnOpen) await reader.finish();
  }

  async #logged(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) =>
      this.#ports.log.warn({ session: this.#ports.id, err: error }, "could not look for sub-agents"),
    );
  }

  async #look(finder: SubagentFinder): Promise<void> {
    const found = finder.find((path) => this.#readers.has(path));
    for (const one of parentsFirst(found)) await this.#open(finder, one);
    for (const reader of this.#readers.values()) await this.#readOn(finder, reader);
  }

  async #open(finder: SubagentFinder, { path, subagent }: FoundSubagent): Promise<void> {
    const { parentNativeId } = subagent;
    const parentId = (parentNativeId && this.#records.get(parentNativeId)) || this.#ports.id;
    const id = await recordOfSubagent(this.#ports.context, parentId, subagent);
    if (id === undefined) return finder.leaveOut(path);
    const facts = this.#facts as NonNullable<Agent["subagents"]>;
    this.#records.set(subagent.nativeId, id);
    this.#readers.set(
      path,
      new SubagentReader(this.#ports, { id, path, facts, tail: (reader) => finder.tail(path, reader) }),
    );
  }

  /** Its last words may follow the note that it is done; an older release never says that they were the last. */
  async #readOn(finder: SubagentFinder, reader: SubagentReader): Promise<void> {
    const { isFinished } = reader.isTurnOpen ? finder.noteOf(reader.path) : {};
    const hasGrown = await reader.catchUp();
    if (!isFinished || !reader.isTurnOpen) return;
    const nowMs = performance.now();
    const sinceMs = hasGrown ? nowMs : (this.#finished.get(reader.id) ?? nowMs);
    this.#finished.set(reader.id, sinceMs);
    if (nowMs - sinceMs < LAST_WORDS_MS) this.lookSoon(LAST_WORDS_MS);
    else await reader.finish();
  }
}

function finderOf(
  ports: Ports,
  { subagents: facts, history }: Pick<Agent, "subagents" | "history">,
  lookSoon: (afterMs?: number) => void,
): SubagentFinder | undefined {
  if (!facts) return undefined;
  if (!("rows" in facts)) return new SubagentFileFinder(ports, lookSoon, facts);
  return history && new SubagentRowFinder(ports, facts, history);
}

/** A sub-agent that another one started comes behind it. */
function parentsFirst(found: readonly FoundSubagent[]): readonly FoundSubagent[] {
  const byId = new Map(found.map((one) => [one.subagent.nativeId, one]));
  const depthOf = ({ subagent }: FoundSubagent, seen: readonly string[] = []): number => {
    const { nativeId, parentNativeId } = subagent;
    const parent = parentNativeId === undefined ? undefined : byId.get(parentNativeId);
    return parent && !seen.includes(nativeId) ? 1 + depthOf(parent, [...seen, nativeId]) : 0;
  };
  return [...found].sort((a, b) => depthOf(a) - depthOf(b));
}
