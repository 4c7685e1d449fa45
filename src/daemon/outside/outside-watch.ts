import { existsSync } from "node:fs";
import type { Agent, Outside as OutsideFacts, OutsideIdentity } from "../../agents/agent.ts";
import { agentsSeenOutside, findAgent } from "../../agents/registry.ts";
import type { JsonObject } from "../../domain/json.ts";
import { LIVE_STATES } from "../../domain/session/state.ts";
import { pidsWriting, writtenUnder } from "../../machine/open-files.ts";
import { markerOf } from "../../machine/proc.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import { workspaceOf } from "../../machine/workspace.ts";
import { createObserved } from "../../record/create.ts";
import type { Services } from "../services.ts";
import { FolderTree } from "./folder-tree.ts";
import { isLiveFile, liveFilesIn, processOf, readLiveFile } from "./live-files.ts";
import { OutsideSession } from "./outside-session.ts";
import { identityIn } from "./transcript-head.ts";

const LOOK_MS = 5000;
const LEAVING_MS = 500;
/** Without a process to show for it, a transcript that has not grown for so long may be anybody's. */
const SILENT_MS = 60_000;

interface Watched {
  readonly agent: Agent;
  readonly facts: OutsideFacts;
  readonly liveFiles: string | null;
  readonly transcripts: string;
}

/** Enough to find a session among those that Rollcall carries. */
export type SessionClue = { readonly nativeId: string } | { readonly transcript: string };

/** Sessions that were started without Rollcall and show themselves while the daemon runs. Observed, never touched. */
export class OutsideWatch {
  readonly #services: Services;
  readonly #isCarried: (of: SessionClue) => boolean;
  readonly #trees: FolderTree[] = [];
  readonly #sessions = new Map<string, OutsideSession>();
  #timer: NodeJS.Timeout | undefined;
  readonly #queue = new SerialQueue();

  constructor(services: Services, isCarried: (of: SessionClue) => boolean) {
    this.#services = services;
    this.#isCarried = isCarried;
  }

  async begin(): Promise<void> {
    const { context } = this.#services;
    if (!context.config["observe.outside"]) return;
    await this.#comeBack();
    for (const agent of agentsSeenOutside()) {
      const facts = agent.outside as OutsideFacts;
      this.#begin({ agent, facts, ...facts.places(context.env) });
    }
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    for (const tree of this.#trees) tree.stop();
    for (const session of this.#sessions.values()) session.stop();
    await this.#queue.settled();
  }

  /** An event of a hook that is installed for all sessions of an agent. */
  async sawHook(event: string, payload: JsonObject): Promise<void> {
    if (!this.#services.context.config["observe.outside"]) return;
    await this.#inOrder(async () => {
      for (const agent of agentsSeenOutside()) {
        const identity = agent.outside?.ofHook?.(payload);
        const session = identity && (await this.#sessionOf(agent, identity));
        if (!session) continue;
        if (identity.transcript !== undefined) session.follow(identity.transcript);
        return session.take((memory) => agent.outside?.sources.hook?.parse(event, payload, memory) ?? {});
      }
    });
  }

  /** Those that a daemon before this one saw may have left since. */
  async #comeBack(): Promise<void> {
    const { items } = await this.#services.context.store.list({
      origins: ["observed"],
      states: LIVE_STATES,
      limit: 0,
    });
    for (const { row } of items) {
      const agent = findAgent(row.agentType);
      const { id, nativeId, process } = row;
      if (!agent || nativeId === null) continue;
      const session = new OutsideSession(this.#services, { id, agent, nativeId, process });
      this.#sessions.set(keyOf(agent, nativeId), session);
    }
    this.#look();
  }

  #begin(watched: Watched): void {
    const { liveFiles, transcripts } = watched;
    if (liveFiles !== null) {
      this.#watch(liveFiles, (path) => this.#later(async () => this.#sawLiveFile(watched, path)));
      for (const path of liveFilesIn(liveFiles)) this.#later(async () => this.#sawLiveFile(watched, path));
    }
    this.#watch(transcripts, (path) => this.#later(async () => this.#sawTranscript(watched, path)));
    for (const path of writtenUnder(transcripts)) this.#later(async () => this.#sawTranscript(watched, path));
  }

  #watch(root: string, changed: (path: string) => void): void {
    const tree = new FolderTree(root, changed);
    this.#trees.push(tree);
    tree.begin();
  }

  async #sawLiveFile({ agent, facts }: Watched, path: string): Promise<void> {
    if (!isLiveFile(path)) return;
    const told = readLiveFile(agent, path);
    // Taken away: it is about to leave.
    if (!told) setTimeout(() => this.#look(), LEAVING_MS).unref();
    if (!told || markerOf(told.process.pid) !== undefined) return;
    const session = await this.#sessionOf(agent, told.identity);
    if (!session) return;
    session.liveFile = path;
    await session.runs(told.process);
    // What it said before this daemon came: at its prompt it may write nothing for long.
    const transcript = facts.transcriptOf?.(this.#services.context.env, told.identity);
    if (session.transcript === undefined && transcript !== undefined && existsSync(transcript))
      session.follow(transcript);
    await session.take((memory) => facts.sources.file?.parse(told.content, memory) ?? {});
  }

  async #sawTranscript({ agent, facts }: Watched, path: string): Promise<void> {
    if ([...this.#sessions.values()].some(({ transcript }) => transcript === path)) return;
    const identity = this.#isCarried({ transcript: path }) ? undefined : identityIn(facts, path);
    if (!identity || this.#isCarried({ nativeId: identity.nativeId })) return;
    const writer = processOf(pidsWriting(path)[0]);
    if (writer && markerOf(writer.pid) !== undefined) return;
    const session = await this.#sessionOf(agent, identity);
    if (writer) await session?.runs(writer);
    session?.follow(path);
  }

  /** The one that is known, or of an earlier daemon, or a new one; undefined for what Rollcall carries. */
  async #sessionOf(agent: Agent, identity: OutsideIdentity): Promise<OutsideSession | undefined> {
    const { nativeId } = identity;
    if (this.#isCarried({ nativeId })) return undefined;
    const key = keyOf(agent, nativeId);
    const known = this.#sessions.get(key);
    if (known) return known;
    const id = (await this.#find(agent, nativeId)) ?? (await this.#create(agent, identity));
    const session = new OutsideSession(this.#services, { id, agent, nativeId, process: null });
    this.#sessions.set(key, session);
    return session;
  }

  async #find({ type }: Agent, nativeId: string): Promise<string | undefined> {
    const { items } = await this.#services.context.store.list({
      origins: ["observed", "imported"],
      nativeId,
      limit: 0,
    });
    return items.find(({ row }) => row.agentType === type)?.row.id;
  }

  async #create({ type }: Agent, { nativeId, kind, cwd }: OutsideIdentity): Promise<string> {
    const { context } = this.#services;
    return createObserved(context, {
      agentType: type,
      kind,
      nativeId,
      evidence: { source: "file", rule: "seen_outside", excerpt: null },
      ...(cwd === null ? {} : { workspace: workspaceOf(cwd) }),
    });
  }

  /** A process that is gone tells nobody; the time since it was last heard of does not matter. */
  #look(): void {
    for (const [key, session] of this.#sessions) {
      const isLost = session.process === null && session.silentMs > SILENT_MS;
      if (!session.isProcessGone && !isLost) continue;
      this.#sessions.delete(key);
      this.#later(async () => session.gone());
    }
  }

  #later(work: () => Promise<unknown>): void {
    void this.#inOrder(work).catch(() => {});
  }

  /** Who has to know waits for it; in any case what fails is noted. */
  async #inOrder(work: () => Promise<unknown>): Promise<void> {
    await this.#queue.run(work).catch((error: unknown) => {
      this.#services.log.warn({ err: error }, "could not take in what a session outside shows");
      throw error;
    });
  }
}

function keyOf({ type }: Agent, nativeId: string): string {
  return `${type} ${nativeId}`;
}
