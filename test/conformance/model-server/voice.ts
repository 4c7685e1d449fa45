import type { Step, Usage } from "./directives.ts";

/** A tool call, in the words of one program. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
}

/** How an answer is said in one protocol. Whatever is said first opens the answer. */
export interface Voice {
  text(piece: string): void;
  think(text: string): void;
  call(call: Call): void;
  /** An error status; in mid-answer what the protocol has for it. */
  fail(status: number): void;
  end(usage: Usage): void;
}

export type CallStep = Extract<Step, { readonly do: "run" | "call" | "ask" }>;

/** Which of the tools that a program offers stands for a step. */
export type Tools = (step: CallStep, offered: readonly string[]) => Call;

export function errorMessage(status: number): string {
  return `scripted error ${status}`;
}
