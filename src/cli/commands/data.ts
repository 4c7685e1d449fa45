import { RollcallError } from "../../domain/errors.ts";
import { parseCursor } from "../../domain/transcript/entry-cursor.ts";
import type { ShownEntry } from "../../domain/transcript/entry-part.ts";
import { type Command, has, type Input, JSON_OPTION, optionOf } from "../framework/command.ts";
import { parseCount } from "../framework/parse-value.ts";
import { withDaemon } from "../live.ts";

interface SessionData {
  readonly observability: string;
  readonly state: string;
  readonly entries: readonly ShownEntry[];
  readonly hasRewound: boolean;
  readonly screen: string | null;
  readonly truncated: boolean;
  readonly before: string | null;
  readonly after: string | null;
}

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about:
    "Reads what an agent said, and what its screen shows. Answers are bounded and keep the newest; --before and --after page through the rest without gaps, also through an entry that is larger than an answer.\nA transcript that cannot be read says nothing about the session: `get` tells whether it lives.",
  options: {
    tail: { value: "N", about: "the last so many entries (50)" },
    after: { value: "C", about: "what came after this cursor or seq, oldest first" },
    before: { value: "C", about: "what came before this cursor or seq" },
    rewound: { about: "also what a person took back" },
    "max-bytes": { value: "N", about: "at most so many bytes (`data.max_bytes`, 48000)" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall data build", "what it said last, and its screen"],
    ["rollcall data a1b2c3 --after 120 --json", "what is new since then, for a program"],
  ],
  async run(input, output) {
    const query = queryOf(input);
    return withDaemon(output, async (client, rollcall) => {
      const sessionId = await rollcall.resolve(input.words[0] as string);
      const data = await client.call<SessionData>("get_session_data", { sessionId, ...query });
      if (output.isJson) output.json(data);
      else output.text(`${describe(data, isForward(input), has(input, "rewound"))}\n`);
      if (data.observability === "transcript_lost" && !output.isJson)
        output.warn("Its transcript was readable before and is gone; the session is not.");
      return 0;
    });
  },
};

/** A frame must fit, and what a program reads at once has an end. */
const [LEAST_BYTES, MOST_BYTES] = [1000, 1_000_000];

function queryOf(input: Input): object {
  const query: Record<string, number | string | boolean> = has(input, "rewound") ? { withRewound: true } : {};
  for (const [option, name] of [
    ["tail", "tail"],
    ["max-bytes", "maxBytes"],
  ] as const) {
    const text = optionOf(input, option);
    if (text !== undefined) query[name] = parseCount(text, `--${option}`);
  }
  const maxBytes = Number(query.maxBytes ?? LEAST_BYTES);
  if (maxBytes < LEAST_BYTES || maxBytes > MOST_BYTES)
    throw new RollcallError("bad_input", `${maxBytes} is not a size for --max-bytes.`, {
      hint: `Give a whole number from ${LEAST_BYTES} to ${MOST_BYTES}.`,
    });
  for (const option of ["before", "after"] as const) {
    const text = optionOf(input, option);
    if (text === undefined) continue;
    parseCursor(text, `--${option}`);
    query[option] = text;
  }
  return query;
}

function isForward(input: Input): boolean {
  return optionOf(input, "after") !== undefined && optionOf(input, "tail") === undefined;
}

function describe(data: SessionData, goesOn: boolean, isAll: boolean): string {
  const { observability, state, entries, screen, truncated, before, after } = data;
  const parts = entries.map((entry) => `${speakerOf(entry)}${placeOf(entry)}: ${contentOf(entry)}`);
  if (truncated && goesOn && after !== null) parts.push(`(there is more: --after ${after})`);
  if (truncated && !goesOn && before !== null) parts.unshift(`(there is more: --before ${before})`);
  if (data.hasRewound && !isAll) parts.push("(a part was taken back: --rewound shows it)");
  if (screen !== null && screen !== "") parts.push(`${"─".repeat(20)} screen\n${screen}`);
  if (parts.length === 0) parts.push("It has said nothing yet.");
  return [`${state}, ${observability}`, ...parts].join("\n");
}

function speakerOf({ role, kind, name, isRewound }: ShownEntry): string {
  return `${name ?? (kind === "text" ? role : kind)}${isRewound ? " (taken back)" : ""}`;
}

function placeOf({ part }: ShownEntry): string {
  return part === undefined ? "" : ` (characters ${part.from + 1} to ${part.to} of ${part.of})`;
}

function contentOf({ text, tool, part, restJson = "" }: ShownEntry): string {
  if (part !== undefined) return `${tool ? `${tool.name} ` : ""}${text ?? ""}${restJson}`;
  if (tool) return `${tool.name} ${JSON.stringify(tool.result ?? tool.params ?? {})}`;
  return (text ?? "").trimEnd();
}
