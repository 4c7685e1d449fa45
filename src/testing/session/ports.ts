import { Socket } from "node:net";
import { type Logger, pino } from "pino";
import type { Agent, Mode } from "../../agents/agent.ts";
import { command } from "../../agents/command/adapter.ts";
import type { Memory, Parsed } from "../../agents/parsed.ts";
import type { Carrying } from "../../daemon/session/carrying.ts";
import type { Facts, HolderPort, IntakePort, Place } from "../../daemon/session/ports.ts";
import type { AgentPaths } from "../../daemon/sources/agent-paths.ts";
import { createRedactor } from "../../domain/redact/redact.ts";
import type { Launch } from "../../domain/session/carried.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import { type Config, loadConfig } from "../../home/settings.ts";
import { FrameReader } from "../../host/frames.ts";
import { HolderConnection } from "../../host/holder.ts";
import type { HolderStatus } from "../../host/holder-message.ts";
import { LAUNCH } from "../carried.ts";
import { Recorder } from "./recorder.ts";

/** The parts of a launch that a test is about; the rest is that of a plain command. */
export interface GivenFacts {
  readonly folder?: string;
  readonly generation?: number;
  readonly agent?: Partial<Agent>;
  readonly mode?: Partial<Omit<Mode, "capabilities">> & {
    readonly capabilities?: Partial<Mode["capabilities"]>;
  };
  readonly launch?: Partial<Launch>;
  readonly agentPaths?: Partial<AgentPaths>;
  readonly secrets?: readonly string[];
}

export function factsOf(given: GivenFacts = {}): Facts {
  const [base] = command.modes as readonly [Mode];
  const capabilities = { ...base.capabilities, ...given.mode?.capabilities };
  const launch = { ...LAUNCH, tellsTurns: capabilities.tellsTurns, ...given.launch };
  const carrying: Carrying = {
    id: "s",
    generation: given.generation ?? 1,
    kind: "interactive",
    launch,
    agent: { ...command, ...given.agent },
    mode: { ...base, ...given.mode, capabilities },
    agentPaths: {
      ...{ transcript: null, transcripts: null, liveFiles: null, databases: null, server: null },
      ...given.agentPaths,
    },
    redactor: createRedactor(() => given.secrets ?? []),
  };
  return { id: carrying.id, folder: given.folder ?? "/nowhere", carrying };
}

/** A log whose messages can be looked at. */
export function keptLog(): { readonly log: Logger; readonly messages: string[] } {
  const messages: string[] = [];
  const write = (line: string) => void messages.push((JSON.parse(line) as { msg: string }).msg);
  return { log: pino({ level: "info" }, { write }), messages };
}

/** The settings as they are for somebody who has set none, but for these. */
export function configOf(given: Partial<Config> = {}): Config {
  return { ...loadConfig("/nowhere", undefined).config, ...given };
}

/** A connection to a holder that keeps what is sent, each frame as its type and its bytes. */
export class KeptConnection extends HolderConnection {
  readonly sent = new Recorder<string>();

  constructor() {
    super(new Socket(), new FrameReader());
  }

  override send(frame: Uint8Array): void {
    for (const { type, payload } of new FrameReader().push(Buffer.from(frame)))
      this.sent.add(payload.length === 0 ? type : `${type} ${payload.toString()}`);
  }
}

/** A holder that is there, or is not; it can be changed while a test runs. */
export function holderOf(given: {
  connection?: HolderConnection;
  status?: Partial<HolderStatus>;
}): HolderPort {
  return {
    holder: {
      get connection() {
        return given.connection;
      },
      status: async () => given.status && statusOf(given.status),
      reachable: async () => {},
    },
  };
}

/** A living agent that nobody has typed to, and that has written nothing yet. */
export function statusOf(given: Partial<HolderStatus> = {}): HolderStatus {
  const nothing = { low: 0, high: 0, dropped: 0 };
  return {
    type: "status",
    you: 1,
    host: "pty",
    agent: { alive: true, pid: 42 },
    cols: 80,
    rows: 24,
    typist: null,
    viewers: 0,
    lastInputMsAgo: null,
    lastOutputMsAgo: null,
    inputPending: 0,
    out: nothing,
    err: nothing,
    reports: { main: null, byId: {} },
    title: null,
    paused: false,
    ending: false,
    exit: null,
    ...given,
  };
}

/** One call of an intake. */
export interface TakenIn {
  readonly parsed?: Parsed;
  readonly place?: Place | null;
  readonly signal?: Signal;
  readonly notice?: string;
  readonly isSettled?: true;
}

/** An intake that takes nothing in and keeps all that it is given. */
export function keptIntake(memory: Memory = {}): IntakePort & { readonly taken: Recorder<TakenIn> } {
  const taken = new Recorder<TakenIn>();
  const intake: IntakePort["intake"] = {
    isAwaited: false,
    parsed: async (parse, place = null) => taken.add({ parsed: parse(memory), place }),
    take: async (parsed, place = null) => taken.add({ parsed, place }),
    signal: async (signal) => taken.add({ signal }),
    settle: async () => taken.add({ isSettled: true }),
    notice: async (_, text) => taken.add({ notice: text }),
  };
  return { intake, taken };
}
