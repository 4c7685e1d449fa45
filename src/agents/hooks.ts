import type { DelegationAdvice, DelegationInput, StopInput, StopReport } from "../domain/delegation.ts";
import type { JsonObject } from "../domain/json.ts";

/** Hooks of ours in an agent's own settings, and the form in which that agent calls them. Pure, as all of an adapter. */
export interface AgentHooks {
  readonly settings: HookSettings;
  readonly codecs: HookCodecs;
  /** Payloads in the agent's form, for `rollcall hook --test`. */
  readonly examples: Readonly<Record<HookName, readonly HookExample[]>>;
}

/** The file of settings that the agent reads hooks from. */
export interface HookSettings {
  /** Its path for a user with this environment, which has a `HOME`. */
  path(env: Readonly<Record<string, string | undefined>>): string;
  /**
   * The text with our hooks for these programs in it, each once, and every other byte as it was; the same text where it
   * has them already. Throws `bad_config`, which names `path`, for JSON of another shape.
   */
  install(text: string, programs: HookPrograms, path: string): string;
  /** The text without our hooks, whichever programs they call. Undoes `install`, blanks in empty brackets apart. */
  remove(text: string): string;
  /** How many of our hooks are in it. */
  count(text: string): number;
}

/** The programs that the hooks call. */
export interface HookPrograms {
  readonly node: string;
  readonly launcher: string;
  /** The script of the hook spool. */
  readonly script: string;
  /** The state folder; null for the one that is taken by default. */
  readonly home: string | null;
}

/** One codec for each hook of `rollcall hook`. */
export interface HookCodecs {
  readonly "pre-delegate": HookCodec<DelegationInput, DelegationAdvice>;
  readonly "subagent-stop": HookCodec<StopInput, StopReport>;
}

export type HookName = keyof HookCodecs;

/** Between what a caller hands to a hook and what we work with. Total: any JSON object has an answer. */
export interface HookCodec<Input, Result> {
  /** A file of the caller's that tells more than the payload; undefined where there is none. */
  file?(payload: JsonObject): string | undefined;
  /** `fileText` is null where there is no such file. Undefined: none of our business, answered with `{}`. */
  parse(payload: JsonObject, fileText: string | null): Input | undefined;
  /** The answer, in the caller's form. The payload comes without secrets. */
  encode(result: Result, payload: JsonObject): object;
  /** The answer when there is no result; it must not stop the caller. */
  fail(reason: string, payload: JsonObject): object;
}

export interface HookExample {
  readonly about: string;
  /** A session that is made before the call, waiting for approval or at work; without it none is. */
  readonly session?: { readonly id?: string; readonly phase: "approval" | "executing" };
  /** `sessionId` is empty where no session was made. */
  payload(facts: ExampleFacts): JsonObject;
}

/** The delegation that all examples are about. */
export interface ExampleFacts {
  readonly sessionId: string;
  readonly agentName: string;
  readonly taskId: string;
  readonly description: string;
}
