import { existsSync, statSync } from "node:fs";
import type { Agent, Outside as OutsideFacts, OutsideIdentity, OutsideRows } from "../../agents/agent.ts";
import { agentsSeenOutside, findAgent } from "../../agents/registry.ts";
import type { JsonObject } from "../../domain/json.ts";
import { isLive, LIVE_STATES } from "../../domain/session/state.ts";
import { findByNativeId, isCarried } from "../../history/plan.ts";
import { notedFolder } from "../../history/trace-source.ts";
import { pidsWriting, writtenUnder } from "../../machine/open-files.ts";
import { markerOf } from "../../machine/proc.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import { workspaceOf } from "../../machine/workspace.ts";
import { createObserved } from "../../record/create.ts";
import type { Services } from "../services.ts";
import { ChangedPaths } from "./changed-paths.ts";
import { FolderTree } from "./folder-tree.ts";
import { GrowingRows } from "./growing-rows.ts";
import type { Importer } from "./importer.ts";
import { isLiveFile, liveFilesIn, processIn, processOf, readLiveFile } from "./live-files.ts";
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
  readonly #importer: Importer;
  readonly #trees: { stop(): void }[] = [];
  readonly #sessions = new Map<string, OutsideSession>();
  #timer: NodeJS.Timeout | undefined;
  readonly #changed = new ChangedPaths();
  readonly #queue = new SerialQueue();

  constructor(services: Services, isCarried: (of: SessionClue) => boolean, importer: Importer) {
    this.#services = services;
    this.#isCarried = isCarried;
    this.#importer = importer;
  }

  /** Paths and native ids of those that are followed here. */
  get followed(): readonly string[] {
    return [...this.#sessions.values()].flatMap(({ nativeId, transcript = nativeId }) => [
      nativeId,
      transcript,
    ]);
  }

  /** Everything that it was told so far has been dealt with. */
  async settled(): Promise<void> {
    await this.#changed.settled();
    await this.#queue.settled();
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
    this.#changed.stop();
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

  /** Goes on with the sessions of the daemon before this one; they may have left since. */
  async #comeBack(): Promise<void> {
    const { items } = await this.#services.context.store.list({
      origins: ["observed", "imported"],
      states: LIVE_STATES,
      limit: 0,
    });
    for (const { row } of items) {
      const agent = findAgent(row.agentType);
      const { id, nativeId, process } = row;
      // One without a process is the importer's.
      const isObserved = row.origin === "observed" || process !== null;
      if (!agent || nativeId === null || !isObserved) continue;
      const session = new OutsideSession(this.#services, { id, agent, nativeId, process });
      this.#sessions.set(keyOf(agent, nativeId), session);
    }
    this.#look();
  }

  #begin(watched: Watched): void {
    const { liveFiles, transcripts, facts } = watched;
    if (facts.rows) {
      this.#beginRows(watched, facts.rows);
      return;
    }
    if (liveFiles !== null) {
      this.#watch(liveFiles, async (path) => this.#sawLiveFile(watched, path));
      for (const path of liveFilesIn(liveFiles)) this.#later(async () => this.#sawLiveFile(watched, path));
    }
    this.#watch(transcripts, async (path) => this.#sawTranscript(watched, path));
    for (const path of writtenUnder(transcripts)) this.#later(async () => this.#sawTranscript(watched, path));
  }

  #beginRows({ agent, transcripts: root }: Watched, rows: OutsideRows): void {
    const ports = {
      services: this.#services,
      importer: this.#importer,
      sessions: () => this.#sessionsOf(agent),
      isCarried: (nativeId: string) => this.#isCarried({ nativeId }),
      sessionOf: async (identity: OutsideIdentity) => this.#sessionOf(agent, identity),
      later: (work: () => Promise<unknown>) => this.#later(work),
    };
    const growing = new GrowingRows(ports, agent, { root, rows });
    this.#trees.push(growing);
    growing.begin();
  }

  #sessionsOf({ type }: Agent): ReadonlyMap<string, OutsideSession> {
    const own = [...this.#sessions].filter(([key]) => key.startsWith(`${type} `));
    return new Map(own.map(([, session]) => [session.nativeId, session]));
  }

  #watch(root: string, look: (path: string) => Promise<void>): void {
    const lookInOrder = async (path: string) => this.#inOrder(async () => look(path)).catch(() => {});
    const tree = new FolderTree(root, (path) => this.#changed.add(path, async () => lookInOrder(path)));
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
    // Its transcript is read from before this daemon came: at its prompt it may write nothing for long.
    const transcript = facts.transcriptOf?.(this.#services.context.env, told.identity);
    if (session.transcript === undefined && transcript !== undefined && existsSync(transcript))
      session.follow(transcript);
    await session.take((memory) => facts.sources.file?.parse(told.content, memory) ?? {});
  }

  async #sawTranscript({ agent, facts }: Watched, path: string): Promise<void> {
    if ([...this.#sessions.values()].some(({ transcript }) => transcript === path)) return;
    const identity = this.#isCarried({ transcript: path }) ? undefined : identityIn(facts, path);
    if (!identity || this.#isCarried({ nativeId: identity.nativeId })) return;
    const { env } = this.#services.context;
    const writer = processOf(pidsWriting(path)[0]) ?? processIn(agent, env, identity.nativeId);
    if (writer && markerOf(writer.pid) !== undefined) return;
    // Without a process there is nothing to observe but the file, and the importer reads that.
    if (!writer && this.#importer.covers(agent.type, path)) return this.#importer.lookSoon();
    if (!writer && (await this.#isOver(agent, identity.nativeId, path))) return;
    const cwd = identity.cwd ?? notedFolder(agent.history, path) ?? null;
    const session = await this.#sessionOf(agent, { ...identity, cwd });
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

  /** News of a file may come after the session that wrote it has ended here: nobody has written to it since. */
  async #isOver({ type, outside }: Agent, nativeId: string, path: string): Promise<boolean> {
    const row = await findByNativeId(this.#services.context, type, nativeId);
    if (!row || !isCarried(row)) return false;
    // Its end may be committed between this look and the next one.
    if (row.carried !== null && isLive(row.state)) return true;
    if (row.endedAt === null) return false;
    if (outside?.writesAfterEnd) return true;
    // An end is known to the millisecond: one that wrote and left in the same has written nothing since.
    return Math.floor(statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) <= Date.parse(row.endedAt);
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
      if (this.#isCarried(session)) {
        session.stop();
        this.#sessions.delete(key);
        continue;
      }
      const isLost = session.process === null && session.silentMs > SILENT_MS;
      if (!session.isProcessGone && !isLost) continue;
      this.#sessions.delete(key);
      this.#later(async () => {
        await session.gone();
        this.#importer.lookSoon();
      });
    }
  }

  #later(work: () => Promise<unknown>): void {
    void this.#inOrder(work).catch(() => {});
  }

  /** Rejects with what fails, and logs it. */
  async #inOrder(work: () => Promise<unknown>): Promise<void> {
    await this.#queue.run(work).catch((error: unknown) => {
      this.#services.log.warn({ err: error }, "could not record a session outside");
      throw error;
    });
  }
}

function keyOf({ type }: Agent, nativeId: string): string {
  return `${type} ${nativeId}`;
}
