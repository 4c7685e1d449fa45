import type { Memory } from "./parsed.ts";

/** Everything that a mode may use to plan a launch. */
export interface LaunchRequest {
  readonly sessionId: string;
  /** The whole command for a plain one, else more arguments for the agent. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly model: string | null;
  /** Whether it begins with a text. */
  readonly hasPrompt: boolean;
  /** The caller's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** A fresh UUID, for agents whose native id is ours to choose. */
  readonly freshId: string;
  readonly continues: { readonly nativeId: string; readonly how: "resume" | "fork" } | null;
  /** The agent's `sockets` at which someone answers. */
  readonly answering: readonly string[];
  /** The script that hands an event of a hook to Rollcall. */
  readonly hookScript: string;
  /** A folder for files of this launch. */
  readonly folder: string;
  /** Rollcall's state folder. */
  readonly home: string;
  /** How to run one of Rollcall's own programs: `node` and the path of a script. */
  readonly node: string;
  readonly programs: Readonly<Record<"scripted", string>>;
  /** A free port on loopback and a fresh password, for a mode that is driven over HTTP. */
  readonly server: { readonly port: number; readonly password: string } | null;
}

export interface LaunchPlan {
  readonly command: readonly string[];
  /** Beside the caller's environment and the marker. */
  readonly env: Readonly<Record<string, string>>;
  readonly nativeId: string | null;
  /** Written into the folder of the launch before it. */
  readonly files?: Readonly<Record<string, string>>;
  /** The file that the agent will write its transcript to, where that is known beforehand. */
  readonly transcript: string | null;
  /** The folder that it makes its transcript in, where its name is not: the file that its own process writes to. */
  readonly transcripts?: string;
  /** The folder in which each process of this agent keeps a file of its own state, as JSON with `pid`. */
  readonly liveFiles?: string;
  /** The folder with the database in which the agent keeps its conversations, or that database, where sub-agents are in it. */
  readonly databases?: string;
  /** A database that the program makes when it is used first, which several at once fail to: its folder, and a regular expression for its name. */
  readonly makes?: { readonly folder: string; readonly name: string };
  /** The agent's own server on loopback, which only we can ask: HTTP Basic with this user and password. */
  readonly server?: AgentServer;
  /** Written as soon as it runs, where it speaks a protocol. */
  readonly opening?: string;
  /** The memory of its parsers at the start. */
  readonly memory?: Memory;
  /** A notice in its transcript: what a person has to know of this launch. */
  readonly notice?: string;
  /** A sentence on what to install where its program is not found. */
  readonly install?: string;
}

export interface AgentServer {
  readonly port: number;
  readonly user: string;
  readonly password: string;
}
