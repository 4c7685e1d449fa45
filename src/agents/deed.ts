import type { Json } from "../domain/json.ts";
import type { Waiting } from "../domain/session/session.ts";
import type { Memory, Parsed } from "./parsed.ts";

/** One thing to do to an agent, and the way in which it is done: one deliverer carries out each way. */
export type Deed = Keys | Lines | HttpCall;

/** Keys for a terminal. `onScreen`, the source of a pattern, must be on the screen before they may be pressed. */
export interface Key {
  readonly bytes: string;
  readonly onScreen?: string;
  /** So long after the key before, or after that shows: for a program that takes a quick key for something else. */
  readonly restMs?: number;
  /**
   * It does nothing but move the cursor, and is pressed again until that shows: then the program takes keys, and has dealt
   * with all before this one.
   */
  readonly movesCursor?: true;
}

export interface Keys extends Key {
  readonly via: "keys";
  /** Each is pressed once the agent had a moment for those before it, and shows what this one needs. */
  readonly more?: readonly (string | Key)[];
}

/** Lines of a protocol on standard input, without their line ends. */
export interface Lines {
  readonly via: "lines";
  readonly lines: readonly string[];
  /** Ends the input behind these lines, of which there may be none. */
  readonly closes?: true;
  /** Taken in as soon as the lines are written, for a protocol that confirms nothing itself. */
  readonly implies?: Parsed;
}

/** A call of the agent's own server on loopback. Any status from 200 to 299 means that it was accepted. */
export interface HttpCall {
  readonly via: "http";
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: Json;
}

/** The session that a deed is for. */
export interface Target<M extends Memory = Memory> {
  readonly nativeId: string | null;
  readonly memory: M;
}

/** The deed for each thing a person can say; undefined where this mode or request does not offer it. */
export interface Controls<M extends Memory = Memory> {
  /** Undefined: the text as the host types it. */
  say(to: Target<M>, text: string): Deed | undefined;
  approve(to: Target<M>, request: Waiting): Deed | undefined;
  /** The agent's own choice to ask no more for calls like this one; its screen says whether this dialog has it. */
  approveAlways?(to: Target<M>, request: Waiting): Deed | undefined;
  /** Throws a coded error for a reason that its dialog has no place for: none is dropped silently. */
  deny(to: Target<M>, request: Waiting, reason: string | null): Deed | undefined;
  /** Throws a coded error for a choice that the request does not offer. */
  answer(to: Target<M>, request: Waiting, choice: string): Deed | undefined;
  interrupt(to: Target<M>): Deed | undefined;
  /** A polite stop before any signal. */
  stop(to: Target<M>): Deed | undefined;
  /** Keys that empty its prompt box; undefined where the screen shows it empty, or shows none. */
  emptyBox?(screen: string): string | undefined;
}

/** All keys, in order. */
export function keysIn({ via: _, more = [], ...first }: Keys): readonly Key[] {
  return [first, ...more.map((next) => (typeof next === "string" ? { bytes: next } : next))];
}
