import type { SessionRow } from "../../domain/session/session.ts";
import type { KeptMemory } from "../intake/kept-memory.ts";
import type { Facts, IntakePort, Logs } from "../session/ports.ts";
import { EventStream } from "./event-stream.ts";
import { LiveFile } from "./live-file.ts";
import type { Source } from "./source.ts";

interface Ports extends Facts, Logs, IntakePort {
  readonly memory: KeptMemory;
  readonly screen: Source;
  readonly transcript: Source;
  readonly transcriptFinder: Source;
  readonly subagents: Source;
}

/** All sources of one session but its holder: those that every session may have, and those that its mode names. */
export class SessionSources {
  readonly #all: readonly Source[];

  constructor(ports: Ports) {
    const own = [liveFileOf(ports), eventStreamOf(ports)].filter((source) => source !== undefined);
    this.#all = [ports.transcriptFinder, ports.transcript, ports.screen, ports.subagents, ...own];
  }

  begin(row: SessionRow): void {
    for (const source of this.#all) source.begin(row);
  }

  /** Reads everything that the agent has written by now, in every source. */
  async catchUp(): Promise<void> {
    for (const source of this.#all) await source.catchUp();
  }

  /** Reads all that an agent said which has left. */
  async readRest(): Promise<void> {
    for (const source of this.#all) await source.readRest?.();
    await this.catchUp();
  }

  /** Reads every state again that is kept in a place of its own. */
  refresh(): void {
    for (const source of this.#all) source.refresh?.();
  }

  stop(): void {
    for (const source of this.#all) source.stop();
  }
}

function liveFileOf(ports: Ports): LiveFile | undefined {
  const { mode, agentPaths, launch } = ports.carrying;
  const { file: spec } = mode.sources;
  const { liveFiles: folder } = agentPaths;
  return spec && folder !== null ? new LiveFile(ports, { spec, folder, marker: launch.marker }) : undefined;
}

function eventStreamOf(ports: Ports): EventStream | undefined {
  const { mode, agentPaths } = ports.carrying;
  const { events: spec } = mode.sources;
  const { server } = agentPaths;
  return spec && server !== null ? new EventStream(ports, { spec, server }) : undefined;
}
