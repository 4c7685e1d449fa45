import type { Key } from "./keys.ts";
import type { Answer, Request } from "./line.ts";
import { tail } from "./terminal.ts";

/** Owns the keys while it stands. */
export interface Dialog<T> {
  /** Shown above it, once. */
  readonly text: string | null;
  last(columns: number): string;
  /** Undefined: not decided yet. */
  take(key: Key): T | undefined;
}

/** So much of a tool's name is shown. */
const SHOWN_CHARS = 40;

export function dialogOf(request: Request): Dialog<Answer> {
  if (request.kind === "permission") return permission(request.tool, JSON.stringify(request.input));
  return request.options === null ? freeText(request.question) : choice(request.question, request.options);
}

function permission(tool: string, input: string): Dialog<Answer> {
  const name = tool.slice(0, SHOWN_CHARS);
  return {
    text: null,
    // On one line, so that nothing of it is left on the screen afterwards.
    last: (columns) => {
      const room = Math.max(columns - name.length - 39, 0);
      const shown = input.length > room ? `${input.slice(0, Math.max(room - 1, 0))}…` : input;
      return `Allow ${name} ${shown}? [y] yes  [n] no  [a] always `;
    },
    take: (key) => {
      if (isChar(key, "y")) return { decision: "approve" };
      if (isChar(key, "a")) return { decision: "approve", always: true };
      return isChar(key, "n") ? { decision: "deny", reason: null } : undefined;
    },
  };
}

function choice(question: string, options: readonly string[]): Dialog<Answer> {
  const lines = options.map((option, index) => `  ${index + 1}) ${option}`);
  return {
    text: [question, ...lines].join("\n"),
    last: () => `Choose 1-${options.length}: `,
    take: (key) => {
      const chosen = key.key === "text" ? options[Number(key.text) - 1] : undefined;
      return chosen === undefined ? undefined : { choice: chosen };
    },
  };
}

function freeText(question: string): Dialog<Answer> {
  const { last, take } = line("Answer: ");
  return {
    text: question,
    last,
    take: (key) => {
      const said = take(key);
      return said === undefined ? undefined : { choice: said };
    },
  };
}

export function trust(folder: string): Dialog<boolean> {
  return {
    text: `Accessing workspace: ${folder}`,
    last: () => "Trust this folder? [y] yes  [n] no, leave ",
    take: (key) => (isChar(key, "y") ? true : isChar(key, "n") ? false : undefined),
  };
}

export function login(): Dialog<string> {
  return { text: "You are not logged in.", ...line("Log in: paste your code, then Enter: ") };
}

/** One line of text; an empty one is none. */
function line(label: string): Pick<Dialog<string>, "last" | "take"> {
  const box = new Box();
  return {
    last: (columns) => label + tail(box.text, columns - label.length),
    take: (key) => {
      if (key.key === "enter") return box.text.trim() === "" ? undefined : box.text;
      box.edit(key);
      return undefined;
    },
  };
}

/** Text that was typed and not sent yet. */
export class Box {
  text = "";

  edit(key: Key): void {
    if (key.key === "text" || key.key === "paste") this.text += key.text;
    if (key.key === "backspace") this.text = [...this.text].slice(0, -1).join("");
    if (key.key === "clear") this.text = "";
  }

  take(): string {
    const text = this.text;
    this.text = "";
    return text;
  }
}

function isChar(key: Key, char: string): boolean {
  return key.key === "text" && key.text.toLowerCase() === char;
}
