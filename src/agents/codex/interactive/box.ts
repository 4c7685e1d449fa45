/** The choices of a question stand further in. */
const BOX = /^(?: {2})?› (.*)$/;
const PLACEHOLDER = "Ask Codex to do anything";
const CHOICE = /^\d+\. /;

/** The number of lines in the prompt box: the lowest `›` of the screen, unless a dialog stands there. */
export function typedLines(screen: string): number {
  const lines = screen.split("\n").map((line) => line.trimEnd());
  const start = lines.findLastIndex((line) => BOX.test(line));
  const first = BOX.exec(lines[start] ?? "")?.[1] ?? "";
  if (first === "" || first === PLACEHOLDER || CHOICE.test(first)) return 0;
  const end = lines.findIndex((line, index) => index > start && line === "");
  return (end < 0 ? lines.length : end) - start;
}
