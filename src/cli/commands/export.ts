import { closeSync, openSync, writeSync } from "node:fs";
import { checkOneOf } from "../../domain/check.ts";
import { RollcallError } from "../../domain/errors.ts";
import type { ExportChoice } from "../../record/export.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type Command, has, JSON_OPTION, optionOf } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { usage } from "../framework/parse.ts";
import { withSession } from "../open.ts";

const FORMATS = ["json", "md", "html", "cast"] as const;

type Export = (rollcall: Rollcall, id: string, choice: ExportChoice) => AsyncIterable<string>;

/** Each is loaded alone. */
const EXPORTS: Readonly<
  Record<(typeof FORMATS)[number], (...of: Parameters<Export>) => Promise<AsyncIterable<string>>>
> = {
  json: async (rollcall, id) => (await import("../../record/export.ts")).exportJson(rollcall, id),
  md: async (...of) => (await import("../../record/export.ts")).exportMarkdown(...of),
  html: async (...of) => (await import("../export/html.ts")).exportHtml(...of),
  cast: async (rollcall, id) => (await import("../export/cast.ts")).exportCast(rollcall, id),
};

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about:
    "Writes a session out: its record, transcript and events as JSON (json), its transcript to read as Markdown (md) or in a browser, with its facts, usage and states on one page that needs no network (html), or what its terminal showed as an asciicast, with a marker at each turn and tool call (cast).",
  options: {
    format: { value: "FORMAT", about: "how (json)", choices: FORMATS },
    rewound: { about: "md and html: also what a person took back; json has it anyway" },
    output: { short: "o", value: "FILE", about: "into a new file instead of standard output" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall export a1b2c3 --format md > session.md", "to read or to share"],
    ["rollcall export last -o session.json", "everything there is, into a file"],
    ["rollcall export last --format html -o session.html", "one page for a browser, or for paper"],
    ["rollcall export build --format cast -o build.cast", "for asciinema and its players"],
  ],
  async run(input, output) {
    const format = checkOneOf(FORMATS, optionOf(input, "format") ?? "json", "format");
    const path = optionOf(input, "output");
    if (output.isJson && format !== "json" && path === undefined) {
      throw usage(`--json and --format ${format} do not go together without --output.`, "export");
    }
    return withSession(output, input.words[0] as string, async (rollcall, id) => {
      const text = await EXPORTS[format](rollcall, id, { withRewound: has(input, "rewound") });
      if (path === undefined) for await (const piece of text) output.text(piece);
      else await writeNew(path, text, output);
      return 0;
    });
  },
};

/** Nothing is created before the first piece is there: what is refused leaves no empty file. */
async function writeNew(path: string, text: AsyncIterable<string>, output: Output): Promise<void> {
  const pieces = text[Symbol.asyncIterator]();
  let next = await pieces.next();
  const fd = create(path);
  try {
    for (; !next.done; next = await pieces.next()) writeSync(fd, output.hide(next.value));
  } finally {
    closeSync(fd);
  }
  if (output.isJson) output.json({ path });
  else output.note(`Written to ${path}.`);
}

function create(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why =
      code === "EEXIST"
        ? "it exists already"
        : code === "ENOENT"
          ? "its folder does not exist"
          : `of ${code}`;
    throw new RollcallError("bad_input", `${path} cannot be written: ${why}.`, {
      hint: "Choose another name.",
      cause,
    });
  }
}
