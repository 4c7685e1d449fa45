import { RollcallError } from "../../domain/errors.ts";

const NAMED: Readonly<Record<string, string>> = {
  enter: "\r",
  return: "\r",
  escape: "\u001b",
  esc: "\u001b",
  tab: "\t",
  "shift-tab": "\u001b[Z",
  backspace: "\u007f",
  space: " ",
  delete: "\u001b[3~",
  insert: "\u001b[2~",
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  left: "\u001b[D",
  home: "\u001b[H",
  end: "\u001b[F",
  pageup: "\u001b[5~",
  pagedown: "\u001b[6~",
  f1: "\u001bOP",
  f2: "\u001bOQ",
  f3: "\u001bOR",
  f4: "\u001bOS",
  f5: "\u001b[15~",
  f6: "\u001b[17~",
  f7: "\u001b[18~",
  f8: "\u001b[19~",
  f9: "\u001b[20~",
  f10: "\u001b[21~",
  f11: "\u001b[23~",
  f12: "\u001b[24~",
};

/** The bytes of keys by name (`Enter`, `Up`, `C-c`, `M-x`) or of single characters. Refused whole if one is not known. */
export function encodeKeys(keys: readonly string[]): string {
  return keys.map(encodeKey).join("");
}

function encodeKey(key: string): string {
  const name = key.toLowerCase();
  if (Object.hasOwn(NAMED, name)) return NAMED[name] as string;
  const control = /^(?:c|ctrl)-(space|.)$/isu.exec(key)?.[1];
  if (control !== undefined) return controlByte(key, control.length > 1 ? " " : control);
  const meta = /^(?:m|alt)-(.+)$/isu.exec(key)?.[1];
  if (meta !== undefined) return `\u001b${encodeKey(meta)}`;
  if ([...key].length === 1) return key;
  throw unknownKey(key);
}

function controlByte(key: string, letter: string): string {
  const code = letter.toUpperCase().charCodeAt(0);
  if (letter === " ") return "\u0000";
  if (letter === "?") return "\u007f";
  if (code >= 0x40 && code <= 0x5f) return String.fromCharCode(code - 0x40);
  throw unknownKey(key);
}

function unknownKey(key: string): RollcallError {
  return new RollcallError("bad_input", `${JSON.stringify(key)} is not a key.`, {
    hint: `Valid: one character, C-x, M-x, ${Object.keys(NAMED)
      .map((name) => name[0]?.toUpperCase() + name.slice(1))
      .join(", ")}.`,
  });
}
