import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findAgent } from "../agents/registry.ts";
import { RollcallError } from "../domain/errors.ts";
import { createRedactor } from "../domain/redact/redact.ts";
import type { FeedEvent } from "../domain/session/event.ts";
import type { SessionRow } from "../domain/session/session.ts";
import { isLive } from "../domain/session/state.ts";
import { bringBackOriginals } from "../history/archive/bring-back.ts";
import { LAUNCH_FILES, launchFolder } from "../home/launch-folder.ts";
import { durationOf } from "../home/settings.ts";
import { SerialQueue } from "../machine/serial-queue.ts";
import { stamp } from "../record/context.ts";
import { refuseSubagent } from "../record/subagent-error.ts";
import { claimLog } from "./claim-log.ts";
import type { EventHub } from "./feed/event-hub.ts";
import { Notifier } from "./feed/notify.ts";
import { ImportFollow } from "./import/import-follow.ts";
import { FirstUse } from "./launch/first-use.ts";
import { canResume, modeOf } from "./launch/mode-of.ts";
import { followKept } from "./operations/kept-children.ts";
import { OutsideWatch, type SessionClue } from "./outside/outside-watch.ts";
import type { Services } from "./services.ts";
import type { Carrying } from "./session/carrying.ts";
import { LiveSession } from "./session/live-session.ts";
import { readAgentPaths } from "./sources/agent-paths.ts";
import { HookSpool } from "./sources/hook-spool.ts";
import { SubagentEnds } from "./subagents/subagent-ends.ts";

const END_AGAIN_MS = 5000;
/** The system tells of a new file much sooner. */
const BROUGHT_BACK_MS = 10_000;

/** Everything that is alive on this machine, by session. */
export class Daemon {
  readonly services: Services;
  readonly hub: EventHub;
  /** Starts that bring a key, one after the other. */
  readonly keyedStarts = new SerialQueue();
  readonly firstUse = new FirstUse();
  readonly imports: ImportFollow;
  readonly #sessions = new Map<string, LiveSession>();
  /** Nobody else wrote these files just now; with the time. */
  readonly #broughtBack = new Map<string, number>();
  readonly #hooks: HookSpool;
  readonly #notifier: Notifier;
  readonly #outside: OutsideWatch;
  readonly #subagentEnds: SubagentEnds;

  constructor(services: Services) {
    this.services = services;
    this.hub = services.hub;
    this.#hooks = new HookSpool(
      services,
      (marker) => this.#byMarker(marker),
      async (event, payload) => this.#outside.sawHook(event, payload),
    );
    this.#notifier = new Notifier(services, this.hub);
    this.imports = new ImportFollow(services, () => [...this.#carriedHistories(), ...this.#outside.followed]);
    this.#outside = new OutsideWatch(services, (of) => this.#has(of), this.imports);
    this.#subagentEnds = new SubagentEnds(services);
  }

  /** Finds every session that a daemon before this one carried; what they are is known when this resolves. */
  async comeBack(): Promise<void> {
    const { rollcall, context, log } = this.services;
    await claimLog(this.services);
    await this.hub.begin(rollcall, log);
    this.#notifier.begin();
    this.hub.listen((event) => this.#endByBudget(event));
    const { items } = await context.store.list({
      origins: ["started"],
      machine: context.config.machine,
      states: ["starting", "running", "waiting_input", "paused", "resuming", "stopping", "unknown"],
      limit: 0,
    });
    // Together, so that they share one look at the process table.
    await Promise.all(items.map(async ({ row }) => this.#find(row)));
    this.#removeStrayFolders();
    await this.#hooks.begin();
    await this.#outside.begin();
    await this.#subagentEnds.begin();
    // A session that lives is found by its process first.
    void this.#outside.settled().then(() => this.imports.begin());
  }

  get(id: string): LiveSession | undefined {
    return this.#sessions.get(id);
  }

  get all(): readonly LiveSession[] {
    return [...this.#sessions.values()];
  }

  open(carrying: Carrying): LiveSession {
    const session = new LiveSession(this.services, carrying, () => this.#forget(carrying));
    this.#sessions.set(carrying.id, session);
    return session;
  }

  /** Agents run on. */
  async letGo(): Promise<void> {
    this.#hooks.end();
    this.services.sampler.end();
    await this.imports.end();
    await this.#outside.end();
    await this.#notifier.end();
    await this.#subagentEnds.end();
    await Promise.all(this.all.map(async (session) => session.letGo()));
    await this.hub.end();
  }

  async #find(row: SessionRow): Promise<void> {
    const { log, places } = this.services;
    try {
      // Long known to be lost, with nothing to show that it is not.
      const marker = row.carried?.launch.marker ?? "none";
      if (row.state === "unknown" && !existsSync(launchFolder(places.home, marker))) return;
      const session = this.reopen(row);
      if (session) await session.lookNow();
      else await this.#giveUp(row);
    } catch (error) {
      log.error({ session: row.id, err: error }, "could not come back to a session");
    }
  }

  /** A record brought back from its file, or of an agent that this version does not know. */
  async #giveUp(row: SessionRow): Promise<void> {
    const { context } = this.services;
    const evidence = { source: "process", rule: "no_launch_known", excerpt: null } as const;
    await context.store.change(row.id, (now) =>
      now && isLive(now.state) ? [stamp(context, { kind: "reconciled", state: "unknown", evidence })] : [],
    );
  }

  /** From the record and the folder of the launch alone. Undefined for a record whose launch is not known. */
  reopen(row: SessionRow): LiveSession | undefined {
    const agent = findAgent(row.agentType);
    const mode = modeOf(row);
    if (!row.carried || !agent || !mode) return undefined;
    const folder = launchFolder(this.services.places.home, row.carried.launch.marker);
    return this.open({
      id: row.id,
      generation: row.generation,
      kind: row.kind,
      launch: row.carried.launch,
      agent,
      mode,
      agentPaths: readAgentPaths(folder),
      redactor: createRedactor([...this.services.context.secrets(), ...readSecrets(folder)]),
    });
  }

  /** Any process may have committed the requests that used up a budget, and with them the end. */
  #endByBudget({ sessionId, body }: FeedEvent): void {
    if (body.kind !== "end_began" || body.evidence.source !== "usage") return;
    const session = this.get(sessionId);
    if (!session) return;
    const graceMs = durationOf(session.config, "end.grace");
    void session.observe({ saw: "end_recorded", graceMs }).catch((error: unknown) => {
      this.services.log.error({ session: sessionId, err: error }, "an end by a budget could not begin");
      session.look(END_AGAIN_MS);
    });
  }

  #forget({ id, generation }: Carrying): void {
    if (this.#sessions.get(id)?.carrying.generation === generation) this.#sessions.delete(id);
  }

  #has(of: SessionClue): boolean {
    const backMs = "transcript" in of ? this.#broughtBack.get(of.transcript) : undefined;
    if (backMs !== undefined && performance.now() - backMs < BROUGHT_BACK_MS) return true;
    return this.all.some((session) =>
      "nativeId" in of ? session.target.nativeId === of.nativeId : session.transcript.path === of.transcript,
    );
  }

  /** Files of a conversation that its agent has deleted, from their copies; the agent says so where that is not possible. */
  async bringBack({ id, agentType, nativeId }: SessionRow): Promise<void> {
    const { places, log } = this.services;
    try {
      if (nativeId === null) return;
      const files = await bringBackOriginals(places.home, { agentType, nativeId });
      for (const path of files) this.#broughtBack.set(path, performance.now());
      if (files.length > 0) log.info({ session: id, files }, "brought back files of a conversation");
    } catch (error) {
      log.warn({ session: id, err: error }, "files of a conversation could not be brought back");
    }
  }

  #carriedHistories(): string[] {
    return this.all.flatMap(({ target: { nativeId }, transcript: { path } }) =>
      [nativeId, path].filter((name) => name !== null),
    );
  }

  #byMarker(marker: string): LiveSession | undefined {
    return this.all.find(({ carrying }) => carrying.launch.marker === marker);
  }

  /** Folders of launches that no record knows any more: of deleted sessions, or of a daemon that died in between. */
  #removeStrayFolders(): void {
    const { places } = this.services;
    const known = new Set(this.all.map(({ carrying }) => carrying.launch.marker));
    for (const name of readdirSync(places.sessions)) if (!known.has(name)) void this.#followStray(name);
  }

  /** Folders that are not ours, or damaged, are left alone. */
  async #followStray(marker: string): Promise<void> {
    try {
      await followKept(this.services, marker);
    } catch (error) {
      this.services.log.warn({ marker, err: error }, "a folder of a launch cannot be understood");
    }
  }
}

/** None where a power cut left only half of them. */
function readSecrets(folder: string): string[] {
  try {
    return JSON.parse(readFileSync(join(folder, LAUNCH_FILES.secrets), "utf8")) as string[];
  } catch {
    return [];
  }
}

export function liveOrThrow(daemon: Daemon, row: SessionRow): LiveSession {
  const session = daemon.get(row.id);
  if (session && isLive(row.state)) return session;
  if (row.carried === null) throw notCarried(row);
  const isResumable = !session && canResume(row);
  throw new RollcallError("wrong_state", `Session ${row.id} is ${row.state}.`, {
    hint: isResumable
      ? `\`rollcall resume ${row.id}\` goes on with it.`
      : `See \`rollcall explain ${row.id}\`.`,
  });
}

export function notCarried(row: SessionRow): RollcallError {
  refuseSubagent(row);
  if (row.origin === "observed")
    return new RollcallError("not_carried", `Session ${row.id} runs outside Rollcall: it is observed only.`, {
      hint: "Answer, interrupt or leave it where it runs.",
    });
  const sentence = `Session ${row.id} is only a record; Rollcall does not carry its process.`;
  const hint = `\`rollcall finalize ${row.id} completed\` ends the work on it.`;
  return new RollcallError("not_carried", sentence, { hint });
}
