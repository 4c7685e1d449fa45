import { parseAsk, parseCall, parseCut, parseDrip, parseFail, parseUsage } from "./arguments.ts";

/** What one request to the model used. The input is the part that came from no cache; reasoning is part of the output. */
export interface Usage {
  readonly in: number;
  readonly out: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** One thing that the model does. They happen in the order in which the prompt names them. */
export type Step =
  | { readonly do: "text"; readonly pieces: readonly string[]; readonly gapMs: number }
  | { readonly do: "think"; readonly text: string }
  | { readonly do: "run"; readonly command: string; readonly isRisky: boolean }
  | { readonly do: "call"; readonly name: string; readonly input: unknown }
  | { readonly do: "ask"; readonly question: string; readonly options: readonly string[] }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "gate"; readonly name: string }
  | { readonly do: "fail"; readonly status: number; readonly times: number }
  | { readonly do: "cut"; readonly times: number };

export interface Answer {
  readonly steps: readonly Step[];
  readonly usage: Usage;
}

const USAGE: Usage = { in: 1000, out: 20, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const BEGINNING = /\[\[([a-z]+)(?::|(?=\]\]))/g;

const STEPS: Readonly<Record<string, (argument: string) => Step>> = {
  text: (argument) => text(argument),
  think: (argument) => ({ do: "think", text: argument }),
  tool: (argument) => ({ do: "run", command: argument, isRisky: false }),
  risky: (argument) => ({ do: "run", command: argument, isRisky: true }),
  call: parseCall,
  ask: parseAsk,
  slow: (argument) => ({ do: "wait", ms: Number(argument) * 1000 }),
  drip: parseDrip,
  gate: (argument) => ({ do: "gate", name: argument }),
  err: parseFail,
  cut: parseCut,
};

/** The answers to a prompt: the first, and those to the tool results that follow it. After the last comes `done`. */
export function answersOf(prompt: string): Answer[] {
  const answers: Step[][] = [[]];
  const usages: Usage[] = [USAGE];
  for (const { name, argument } of directivesIn(prompt)) {
    if (name === "then") {
      answers.push(argument === "" ? [] : [text(argument)]);
      usages.push(usages.at(-1) as Usage);
    } else if (name === "usage") usages[usages.length - 1] = { ...USAGE, ...parseUsage(argument) };
    else answers.at(-1)?.push(stepOf(name, argument));
  }
  return answers.map((steps, index) => ({ steps: withContent(steps), usage: usages[index] as Usage }));
}

/** The answer to the results of this many rounds of tool calls. */
export function answerOf(prompt: string, round: number): Answer {
  const answers = answersOf(prompt);
  return answers[round] ?? { steps: [text("done")], usage: (answers.at(-1) as Answer).usage };
}

function directivesIn(prompt: string): { readonly name: string; readonly argument: string }[] {
  const found: { name: string; argument: string }[] = [];
  let end = 0;
  for (const match of prompt.matchAll(BEGINNING)) {
    if (match.index < end) continue;
    const name = match[1] as string;
    const start = match.index + match[0].length;
    const length = lengthOfArgument(name, prompt.slice(start));
    found.push({ name, argument: prompt.slice(start, start + length) });
    end = start + length;
  }
  return found;
}

/** Up to the `]]` that closes it; brackets inside the JSON of a call do not. */
function lengthOfArgument(name: string, rest: string): number {
  const ends = [...rest.matchAll(/\]\](?!\])/g)].map(({ index }) => index);
  const closing = name === "call" ? ends.find((end) => isCall(rest.slice(0, end))) : ends[0];
  if (closing === undefined) throw new Error(`[[${name}: has no end`);
  return closing;
}

function isCall(argument: string): boolean {
  try {
    parseCall(argument);
    return true;
  } catch {
    return false;
  }
}

function stepOf(name: string, argument: string): Step {
  const parse = STEPS[name];
  if (!parse) throw new Error(`There is no directive [[${name}]].`);
  return parse(argument);
}

function text(piece: string): Step {
  return { do: "text", pieces: [piece], gapMs: 0 };
}

/** An answer says something, if only `ok`. */
function withContent(steps: readonly Step[]): readonly Step[] {
  const says = steps.some((step) => ["text", "run", "call", "ask"].includes(step.do));
  return says ? steps : [...steps, text("ok")];
}
