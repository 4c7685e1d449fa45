import type { Entry } from "../../domain/entry.ts";
import { RollcallError } from "../../domain/errors.ts";
import { type Command, type Input, JSON_OPTION, optionOf } from "../command.ts";
import { parseCount } from "../format.ts";
import { withDaemon } from "../live.ts";

interface SessionData {
  readonly observability: string;
  readonly state: string;
  readonly entries: readonly (Entry & { readonly cut?: true })[];
  readonly screen: string | null;
  readonly truncated: boolean;
  readonly before: number | null;
}

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about:
    "Reads what an agent said, and what its screen shows. Answers are bounded; --before and --after page through the rest without gaps.\nA transcript that cannot be read says nothing about the session: `get` tells whether it lives.",
  options: {
    tail: { value: "N", about: "the last so many entries (50)" },
    after: { value: "C", about: "what came after this cursor, oldest first" },
    before: { value: "C", about: "what came before this cursor" },
    "max-bytes": { value: "N", about: "at most so many bytes (48000)" },
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
      else output.text(`${describe(data)}\n`);
      if (data.observability === "transcript_lost" && !output.isJson)
        output.warn("Its transcript was readable before and is gone; the session is not.");
      return 0;
    });
  },
};

/** A frame must fit, and what a program reads at once has an end. */
const [LEAST_BYTES, MOST_BYTES] = [1000, 1_000_000];

function queryOf(input: Input): object {
  const query: Record<string, number> = {};
  for (const [option, name] of [
    ["tail", "tail"],
    ["before", "before"],
    ["max-bytes", "maxBytes"],
  ] as const) {
    const text = optionOf(input, option);
    if (text !== undefined) query[name] = parseCount(text, `--${option}`);
  }
  const { maxBytes = LEAST_BYTES } = query;
  if (maxBytes < LEAST_BYTES || maxBytes > MOST_BYTES)
    throw new RollcallError("bad_input", `${maxBytes} is not a size for --max-bytes.`, {
      hint: `Give a whole number from ${LEAST_BYTES} to ${MOST_BYTES}.`,
    });
  const after = optionOf(input, "after");
  if (after !== undefined) query.after = after === "0" ? 0 : parseCount(after, "--after");
  return query;
}

function describe({ observability, state, entries, screen, truncated, before }: SessionData): string {
  const parts = entries.map(
    (entry) => `${speakerOf(entry)}: ${contentOf(entry)}${entry.cut ? " … (cut)" : ""}`,
  );
  if (truncated && before !== null) parts.unshift(`(there is more: --before ${before})`);
  if (screen !== null && screen !== "") parts.push(`${"─".repeat(20)} screen\n${screen}`);
  if (parts.length === 0) parts.push("It has said nothing yet.");
  return [`${state}, ${observability}`, ...parts].join("\n");
}

function speakerOf({ role, kind, name }: Entry): string {
  return name ?? (kind === "text" ? role : kind);
}

function contentOf({ text, tool }: Entry): string {
  if (tool) return `${tool.name} ${JSON.stringify(tool.result ?? tool.params ?? {})}`;
  return (text ?? "").trimEnd();
}
