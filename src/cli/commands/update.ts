import { checkOneOf } from "../../domain/check.ts";
import { PHASES } from "../../domain/session/phase.ts";
import { STATUSES } from "../../domain/session/state.ts";
import type { SessionPatch } from "../../domain/session/update.ts";
import { shortId } from "../../present/format.ts";
import { type Command, type Input, JSON_OPTION, optionOf } from "../framework/command.ts";
import { usage } from "../framework/parse.ts";
import { parseCount } from "../framework/parse-value.ts";
import { withSession } from "../open.ts";
import { parseMetadata } from "../sessions/identity.ts";

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about:
    "Changes what is given, all of it or nothing. A final phase ends the work. Metadata is merged key by key.",
  options: {
    phase: { value: "PHASE", about: "where the work stands", choices: PHASES },
    metadata: { value: "JSON", about: "keys to set, as a JSON object" },
    error: { value: "TEXT", about: "an error to count and keep as the last" },
    status: {
      value: "STATUS",
      about: "what you know of a session that Rollcall does not run",
      choices: STATUSES,
    },
    name: { value: "NAME", about: "a new name" },
    "resume-ready": {
      value: "BOOL",
      about: "whether it can be resumed, until the next phase",
      choices: ["true", "false"],
    },
    "expected-seq": { value: "N", about: "only if the session still stands at this seq" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall update last --phase approval", "it waits for an approval"],
    [`rollcall update a1b2c3 --metadata '{"plan":"plan.json"}'`, "keep something with it"],
    ['rollcall update nightly --error "tests failed"', "count an error"],
  ],
  async run(input, output) {
    const patch = patchOf(input);
    const expected = optionOf(input, "expected-seq");
    const options = expected === undefined ? {} : { expectedSeq: parseCount(expected, "--expected-seq") };
    return withSession(output, input.words[0] as string, async (rollcall, id) => {
      const session = await rollcall.update(id, patch, options);
      if (output.isJson) output.json(session);
      else output.line(`${shortId(id)} is ${session.state}, in phase ${session.phase}.`);
      return 0;
    });
  },
};

function patchOf(input: Input): SessionPatch {
  const [phase, status, error, name] = ["phase", "status", "error", "name"].map((option) =>
    optionOf(input, option),
  );
  const metadata = optionOf(input, "metadata");
  const ready = optionOf(input, "resume-ready");
  const patch: SessionPatch = {
    ...(phase === undefined ? {} : { phase: checkOneOf(PHASES, phase, "phase") }),
    ...(status === undefined ? {} : { status: checkOneOf(STATUSES, status, "status") }),
    ...(error === undefined ? {} : { error }),
    ...(name === undefined ? {} : { name }),
    ...(metadata === undefined ? {} : { metadata: parseMetadata(metadata) }),
    ...(ready === undefined
      ? {}
      : { resumeReady: checkOneOf(["true", "false"], ready, "value for --resume-ready") === "true" }),
  };
  if (Object.keys(patch).length === 0) throw usage("There is nothing to update.", "update");
  return patch;
}
