import type { Answer, Item, Request, TurnResult } from "./line.ts";

/** Where the agent shows what it does and hears what it is told: a terminal, or JSON lines. */
export interface Face {
  /** Returns when it stands at its prompt. */
  open(listener: Listener): Promise<void>;
  show(item: Item): void;
  /** One word of an answer that is still being given; the whole answer follows. */
  showWord(word: string): void;
  /** Bytes that mean nothing, as many as there are; resolves when they are taken. */
  flood(text: string): Promise<void>;
  /** For the terminal itself: bell and title. */
  control(bytes: string): void;
  turnBegan(): void;
  turnEnded(turn: TurnResult, text: string): void;
  /** A helper in the background begins or is done. */
  helper(id: string, isWorking: boolean): void;
  /** Rejects when the turn is interrupted. */
  ask(request: Request, signal: AbortSignal): Promise<Answer>;
  stopReading(): void;
  /** Cuts those who follow its events, where it has any. */
  dropEvents?(): void;
  /** Resolves when the last word is out. */
  close(): void | Promise<void>;
}

/** Receives the input of a face. */
export interface Listener {
  prompt(text: string): void;
  /** Whether there was a turn to interrupt. */
  interrupt(): boolean;
  /** No more input will come. */
  inputEnded(): void;
  leave(code: number, reason: string): void;
}
