/** A pattern for a prompt box with something in it. Texts that were said before look the same, and stand above the line. */
export const TYPED_BOX = "─{20,}\\n(?:[^\\n]*\\n){1,3} [>!*] \\S";

const PLACEHOLDER = "Type your message or @path/to/file";
const LINE = /^─{20,}$/;
const BOX = /^ [>!*] ?(.*)$/;

/** The number of lines in the prompt box, which stands below a line across the screen; none where a dialog stands. */
export function typedLines(screen: string): number {
  const lines = screen.split("\n").map((line) => line.trimEnd());
  const above = lines.findLastIndex((line) => LINE.test(line));
  const start = above < 0 ? -1 : lines.findIndex((line, index) => index > above && BOX.test(line));
  const first = BOX.exec(lines[start] ?? "")?.[1]?.trim() ?? "";
  if (first === "" || first === PLACEHOLDER) return 0;
  const end = lines.findIndex((line, index) => index > start && line === "");
  return (end < 0 ? lines.length : end) - start;
}
