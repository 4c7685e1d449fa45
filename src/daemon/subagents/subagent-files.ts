import { type Dirent, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Subagent, SubagentFiles, SubagentNote } from "../../agents/subagents.ts";
import { readJsonObject } from "../../domain/json.ts";
import { firstLineOf } from "../../machine/first-line.ts";
import { readForeignText } from "../../machine/foreign-file.ts";
import { FolderTree } from "../outside/folder-tree.ts";
import { FileTail } from "../tails/file-tail.ts";
import type { TailReader } from "../tails/tail.ts";
import type { FoundSubagent, SubagentFinder } from "./subagent-finder.ts";

/** A description may follow its transcript; an older release writes none. */
const DESCRIBED_MS = 1000;
const MOST_SIDECAR_BYTES = 1024 * 1024;
/** Nobody else is served while files are looked at: the rest has its turn later. */
const MOST_OPENED = 1000;
const REST_MS = 1000;
const MOST_FILES = 20_000;

interface Ports {
  readonly context: { now(): number };
  readonly transcript: { readonly path: string | null };
  readonly target: { readonly nativeId: string | null };
}

/** Finds sub-agents that write files. */
export class SubagentFileFinder implements SubagentFinder {
  readonly #ports: Ports;
  readonly #facts: SubagentFiles;
  /** Something may have come, or will have come by then. */
  readonly #lookSoon: (afterMs?: number) => void;
  readonly #trees = new Map<string, FolderTree>();
  /** Transcripts of others in the same folders. */
  readonly #strangers = new Set<string>();

  constructor(ports: Ports, lookSoon: (afterMs?: number) => void, facts: SubagentFiles) {
    this.#ports = ports;
    this.#lookSoon = lookSoon;
    this.#facts = facts;
  }

  find(isKnown: (path: string) => boolean): readonly FoundSubagent[] {
    const transcript = this.#ports.transcript.path;
    if (transcript === null) return [];
    const { context, target } = this.#ports;
    const folders = this.#facts.folders(transcript, new Date(context.now()), target.nativeId);
    for (const folder of folders) this.#watch(folder);
    const paths = folders
      .flatMap((folder) => filesBelow(folder, MOST_FILES))
      .filter((path) => path.endsWith(".jsonl") && !isKnown(path) && !this.#strangers.has(path));
    if (paths.length > MOST_OPENED) this.#lookSoon(REST_MS);
    const found = paths.slice(0, MOST_OPENED).flatMap((path) => this.#identify(path, transcript) ?? []);
    return found.filter((one) => this.#isDescribed(one));
  }

  leaveOut(path: string): void {
    this.#strangers.add(path);
  }

  tail(path: string, reader: TailReader): FileTail {
    return new FileTail(path, reader);
  }

  noteOf(path: string): SubagentNote {
    const { sidecar } = this.#facts;
    if (!sidecar) return {};
    try {
      const content = readJsonObject(readForeignText(sidecar.pathOf(path), MOST_SIDECAR_BYTES));
      return content === undefined ? {} : sidecar.parse(content);
    } catch {
      return {};
    }
  }

  stop(): void {
    for (const tree of this.#trees.values()) tree.stop();
  }

  #watch(folder: string): void {
    if (this.#trees.has(folder)) return;
    const tree = new FolderTree(folder, (path) => {
      if (!this.#strangers.has(path)) this.#lookSoon();
    });
    this.#trees.set(folder, tree);
    tree.begin();
  }

  /** A file that belongs to a sub-agent of this session. */
  #identify(path: string, transcript: string): FoundSubagent | undefined {
    const firstLine = firstLineOf(path);
    if (firstLine === "") return undefined;
    const subagent = this.#facts.identify(path, firstLine);
    if (subagent && this.#isOwn(subagent, transcript))
      return { path, subagent: { ...subagent, ...this.noteOf(path) } };
    this.#strangers.add(path);
    return undefined;
  }

  #isOwn({ sessionNativeId }: Subagent, transcript: string): boolean {
    return basename(transcript).includes(sessionNativeId) || sessionNativeId === this.#ports.target.nativeId;
  }

  #isDescribed({ path, subagent }: FoundSubagent): boolean {
    const mayFollow = this.#facts.sidecar !== undefined && subagent.agentName === undefined;
    if (!mayFollow || !isYoung(path, this.#ports.context.now())) return true;
    this.#lookSoon(DESCRIBED_MS);
    return false;
  }
}

function isYoung(path: string, nowMs: number): boolean {
  const madeMs = statSync(path, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
  return nowMs - madeMs < DESCRIBED_MS;
}

/** At most so many of them; links are not followed. */
function filesBelow(folder: string, most: number): string[] {
  const files: string[] = [];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined && files.length < most; next = folders.pop())
    for (const entry of entriesOf(next)) {
      if (entry.isDirectory()) folders.push(join(next, entry.name));
      if (entry.isFile() && files.length < most) files.push(join(next, entry.name));
    }
  return files;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
