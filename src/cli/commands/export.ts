import { closeSync, openSync, writeSync } from "node:fs";
import { checkOneOf } from "../../domain/check.ts";
import { RollcallError } from "../../domain/errors.ts";
import { exportJson, exportMarkdown } from "../../record/export.ts";
import { type Command, JSON_OPTION, optionOf } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { usage } from "../framework/parse.ts";
import { withSession } from "../open.ts";

const FORMATS = ["json", "md"] as const;

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about:
    "Writes a session out: its record, transcript and events as JSON, or its transcript to read as Markdown.",
  options: {
    format: { value: "FORMAT", about: "how (json)", choices: FORMATS },
    output: { short: "o", value: "FILE", about: "into a new file instead of standard output" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall export a1b2c3 --format md > session.md", "to read or to share"],
    ["rollcall export last -o session.json", "everything there is, into a file"],
  ],
  async run(input, output) {
    const format = checkOneOf(FORMATS, optionOf(input, "format") ?? "json", "format");
    const path = optionOf(input, "output");
    if (output.isJson && format === "md" && path === undefined) {
      throw usage("--json and --format md do not go together without --output.", "export");
    }
    return withSession(output, input.words[0] as string, async (rollcall, id) => {
      const text = format === "json" ? exportJson(rollcall, id) : exportMarkdown(rollcall, id);
      if (path === undefined) for await (const piece of text) output.text(piece);
      else await writeNew(path, text, output);
      return 0;
    });
  },
};

async function writeNew(path: string, text: AsyncIterable<string>, output: Output): Promise<void> {
  const fd = create(path);
  try {
    for await (const piece of text) writeSync(fd, output.hide(piece));
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
