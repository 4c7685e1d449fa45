import type { Step, Usage } from "./directives.ts";

/** `NAME {json}`: an object is the input of a function, a string that of a tool with free text. */
export function parseCall(argument: string): Step {
  const match = /^(\S+)\s+([\s\S]+)$/.exec(argument);
  if (!match) throw new Error(`[[call:${argument}]] is not NAME {json}`);
  return { do: "call", name: match[1] as string, input: JSON.parse(match[2] as string) };
}

export function parseAsk(argument: string): Step {
  const [question = "", ...options] = argument.split("|");
  return { do: "ask", question, options };
}

/** `COUNT:MS` */
export function parseDrip(argument: string): Step {
  const [count = 0, gapMs = 0] = numbersOf(argument);
  return { do: "text", pieces: Array.from({ length: count }, (_, index) => `word${index + 1} `), gapMs };
}

/** `STATUS`, or `STATUS:TIMES` and then success. */
export function parseFail(argument: string): Step {
  const [status = 500, times = Number.POSITIVE_INFINITY] = numbersOf(argument);
  return { do: "fail", status, times };
}

export function parseCut(argument: string): Step {
  const [times = Number.POSITIVE_INFINITY] = argument === "" ? [] : numbersOf(argument);
  return { do: "cut", times };
}

export function parseUsage(argument: string): Partial<Usage> {
  const pairs = argument.split(",").map((pair) => pair.split("=") as [string, string]);
  return Object.fromEntries(pairs.map(([key, value]) => [key.trim(), numbersOf(value)[0]]));
}

function numbersOf(argument: string): number[] {
  const numbers = argument.split(":").map(Number);
  if (numbers.some(Number.isNaN)) throw new Error(`${argument} is not a number`);
  return numbers;
}
