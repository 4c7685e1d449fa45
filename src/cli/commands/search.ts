import { relativeTime, shortId } from "../../present/format.ts";
import { type Command, JSON_OPTION, optionOf } from "../framework/command.ts";
import { parseCount } from "../framework/parse-value.ts";
import { withRollcall } from "../open.ts";
import { table } from "../table.ts";

export const command: Command = {
  words: "QUERY…",
  takes: [1, Number.POSITIVE_INFINITY],
  about:
    'Finds words in transcripts, names, goals, summaries and errors, best matches first. All words must occur; "a phrase" in quotes, a beginning with *.',
  options: {
    limit: { value: "N", about: "at most so many (20)" },
    cursor: { value: "CURSOR", about: "go on behind an earlier page" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall search memory limit", "both words"],
    [`rollcall search '"pod crash loop"'`, "a phrase"],
    ["rollcall search terraf* --json", "a beginning, for a program"],
  ],
  async run(input, output) {
    const limit = optionOf(input, "limit");
    const cursor = optionOf(input, "cursor");
    const options = {
      limit: limit === undefined ? 20 : parseCount(limit, "--limit"),
      ...(cursor === undefined ? {} : { cursor }),
    };
    return withRollcall(output, async (rollcall) => {
      const page = await rollcall.search(input.words.join(" "), options);
      if (output.isJson) {
        output.json({ hits: page.items, nextCursor: page.nextCursor ?? null });
        return 0;
      }
      const now = rollcall.context.now();
      const lines = table(
        page.items,
        [
          { title: "ID", text: ({ sessionId }) => shortId(sessionId), style: () => "bold" },
          { title: "SEQ", text: ({ seq }) => (seq === null ? "" : String(seq)), isRight: true },
          { title: "WHEN", text: ({ at }) => relativeTime(at, now) },
          { title: "WHO", text: ({ role, kind }) => role ?? kind },
          { title: "TEXT", text: ({ excerpt }) => excerpt, isFlexible: true },
        ],
        { width: output.width, header: output.isTerminal },
      );
      for (const line of lines.slice(page.items.length === 0 ? 1 : 0)) output.line(line);
      if (page.items.length === 0) output.note("Nothing found.");
      if (page.nextCursor !== undefined) output.note(`More: the same with --cursor ${page.nextCursor}.`);
      return 0;
    });
  },
};
