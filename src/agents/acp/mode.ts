import { RollcallError } from "../../domain/errors.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { Capabilities, Mode } from "../agent.ts";
import { objectOf } from "../json-lines.ts";
import type { LaunchPlan, LaunchRequest } from "../launch.ts";
import type { Memory, Parsed } from "../parsed.ts";
import type { TranscriptSource } from "../sources.ts";
import { controls } from "./controls.ts";
import type { AcpMemory } from "./memory.ts";
import { behindPart } from "./parts.ts";
import { initializeRequest } from "./protocol.ts";
import { type Dialect, parseStream } from "./stream.ts";

/** Facts in which agents differ that speak the Agent Client Protocol. */
export interface AcpAgent extends Omit<Dialect, "besideTranscript"> {
  /** The program with the words that make it speak the protocol, before the caller's own; empty for a command of theirs. */
  readonly command: readonly string[] | ((request: LaunchRequest) => readonly string[]);
  readonly env?: (request: LaunchRequest) => LaunchPlan["env"];
  /** The database that it makes when it is used first. */
  readonly makes?: (env: LaunchRequest["env"]) => LaunchPlan["makes"];
  /** A whole sentence on what to install where the program is missing. */
  readonly install?: string;
  /** The program speaks for another one: its version is not the agent's. */
  readonly isAdapter?: boolean;
  readonly counting?: Counting;
  /** False for a program that is known not to offer it. Any other is asked when its conversation is opened. */
  readonly canFork?: boolean;
}

/** The agent's own transcript, in which each request is counted as it is made. */
interface Counting {
  readonly folder: (env: LaunchRequest["env"]) => string;
  readonly source: TranscriptSource<Memory>;
  /** The usage that it reports for a turn includes its sub-agents. */
  readonly countsSubagents: boolean;
}

const CAPABILITIES: Omit<Capabilities, "canFork"> = {
  tellsTurns: true,
  isReadyAtExec: false,
  // A second text in mid-turn has no meaning in the protocol.
  queuesInput: false,
  confirmsInput: false,
  endsTurnsInTranscript: false,
  canResume: true,
  outputIsTranscript: false,
};

/** The mode of an agent that is driven over the Agent Client Protocol: one pure codec for all of them. */
export function acpMode(agent: AcpAgent): Mode<AcpMemory> {
  const { canFork = true, isAdapter = false, counting } = agent;
  const dialect = counting === undefined ? agent : { ...agent, besideTranscript: counting };
  return {
    name: "acp",
    kind: "acp",
    host: "acp",
    capabilities: { ...CAPABILITIES, canFork },
    plan: (request) => plan(agent, request),
    offersFork: ({ canFork }) => canFork !== false,
    trust: ["protocol"],
    sources: {
      stream: {
        parse: (line, memory) => {
          const parsed = parseStream(line, memory, dialect);
          return isAdapter ? withoutVersion(parsed) : parsed;
        },
        end: (memory) => behindPart(memory, {}),
      },
      ...(counting === undefined ? {} : { transcript: besideProtocol(counting) }),
    },
    controls,
  };
}

/** A transcript that is read for its usage: what its parser remembers is kept apart, for names of the protocol are others. */
function besideProtocol({ source }: Counting): TranscriptSource<AcpMemory> {
  return {
    ...source,
    parse(line, { transcript }) {
      const known = objectOf(transcript);
      const { memory, ...parsed } = source.parse(line, known);
      return memory === undefined
        ? parsed
        : { ...parsed, memory: { transcript: { ...known, ...memory } as JsonObject } };
    },
  };
}

function plan({ command, env, install, counting, makes }: AcpAgent, request: LaunchRequest): LaunchPlan {
  const { args, cwd, model, freshId, continues } = request;
  const words = [...(typeof command === "function" ? command(request) : command), ...args];
  if (words.length === 0)
    throw new RollcallError("bad_usage", "There is no command to start.", {
      hint: "Give one that speaks the Agent Client Protocol: `rollcall start --kind acp -- COMMAND ARGUMENTS`.",
    });
  const made = makes?.(request.env);
  const memory: AcpMemory = { launch: freshId.slice(0, 8), cwd, wantedModel: model, continues };
  return {
    command: words,
    env: env?.(request) ?? {},
    // Never ours to choose.
    nativeId: continues?.how === "resume" ? continues.nativeId : null,
    transcript: null,
    ...(counting === undefined ? {} : { transcripts: counting.folder(request.env) }),
    ...(made === undefined ? {} : { makes: made }),
    opening: `${JSON.stringify(initializeRequest())}\n`,
    memory,
    ...(install === undefined ? {} : { install }),
  };
}

function withoutVersion({ identity, ...parsed }: Parsed<AcpMemory>): Parsed<AcpMemory> {
  const { agentVersion: _, ...rest } = identity ?? {};
  return Object.keys(rest).length === 0 ? parsed : { ...parsed, identity: rest };
}
