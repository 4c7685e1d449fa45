/** The input of a terminal, as far as this program understands it. */
export type Key =
  | { readonly key: "text" | "paste"; readonly text: string }
  | { readonly key: "enter" | "backspace" | "clear" | "escape" | "interrupt" | "end" }
  /** The terminal understands OSC 7501. */
  | { readonly key: "status_heard" };

const PASTE_BEGIN = "\x1b[200~";
const PASTE_END = "\x1b[201~";
const STATUS_ANSWER = "\x1b]7501;?";

const CONTROLS: Readonly<Record<string, Exclude<Key["key"], "text" | "paste">>> = {
  "\r": "enter",
  "\n": "enter",
  "\x7f": "backspace",
  "\x08": "backspace",
  "\x15": "clear",
  "\x03": "interrupt",
  "\x04": "end",
};

/** The keys of a sequence; undefined while more bytes of it may follow. */
type Step = { readonly length: number; readonly keys: readonly Key[] } | undefined;

/** Turns bytes into keys, however they are cut. */
export class KeyReader {
  #rest = "";

  get isPending(): boolean {
    return this.#rest !== "";
  }

  push(text: string): Key[] {
    this.#rest += text;
    const keys: Key[] = [];
    for (let step = read(this.#rest); step !== undefined; step = read(this.#rest)) {
      keys.push(...step.keys);
      this.#rest = this.#rest.slice(step.length);
    }
    return keys;
  }

  /** Nothing more came: a lone ESC was the key, half a sequence is nothing. A paste is waited for. */
  flush(): Key[] {
    if (this.#rest.startsWith(PASTE_BEGIN)) return [];
    const isEscape = this.#rest === "\x1b";
    this.#rest = "";
    return isEscape ? [{ key: "escape" }] : [];
  }
}

function read(text: string): Step {
  if (text === "") return undefined;
  if (text.startsWith("\x1b")) return readEscape(text);
  const [run = ""] = /^\P{Cc}+/u.exec(text) ?? [];
  if (run !== "") return { length: run.length, keys: [...run].map((char) => ({ key: "text", text: char })) };
  const key = CONTROLS[text[0] as string];
  return { length: 1, keys: key === undefined ? [] : [{ key }] };
}

function readEscape(text: string): Step {
  if (text.startsWith(PASTE_BEGIN)) return readPaste(text);
  switch (text[1]) {
    case undefined:
      return undefined;
    case "\x1b":
      return { length: 1, keys: [{ key: "escape" }] };
    case "]":
      return readString(text);
    case "[":
      return readSequence(text);
    case "O":
      return text.length < 3 ? undefined : { length: 3, keys: [] };
    default:
      return { length: 2, keys: [] };
  }
}

function readPaste(text: string): Step {
  const end = text.indexOf(PASTE_END);
  if (end < 0) return undefined;
  const pasted = text.slice(PASTE_BEGIN.length, end).replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  return { length: end + PASTE_END.length, keys: [{ key: "paste", text: pasted }] };
}

function readSequence(text: string): Step {
  const match = /^[0-?]*[ -/]*[@-~]/.exec(text.slice(2));
  return match === null ? undefined : { length: 2 + match[0].length, keys: [] };
}

/** It ends with BEL or with ESC and a backslash. */
function readString(text: string): Step {
  const end = 2 + text.slice(2).search(/\p{Cc}/u);
  if (end < 2 || (text[end] === "\x1b" && text[end + 1] === undefined)) return undefined;
  const length = text[end] === "\x1b" ? end + 2 : end + 1;
  return { length, keys: text.startsWith(STATUS_ANSWER) ? [{ key: "status_heard" }] : [] };
}
