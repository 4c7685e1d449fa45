import type { Evidence } from "../../domain/session/evidence.ts";
import { toWire } from "../../domain/wire.ts";
import { relativeTime } from "../../present/format.ts";
import { type Command, JSON_OPTION } from "../framework/command.ts";
import { withDaemon } from "../live.ts";

interface Explanation {
  readonly sessionId: string;
  readonly state: string;
  readonly since: string;
  readonly rule: string | null;
  readonly source: string;
  readonly evidence: Evidence | null;
  readonly sources: readonly { readonly source: string; readonly says: string; readonly at: string | null }[];
  readonly resume: {
    readonly resume: boolean;
    readonly reason: string;
    readonly how: string | null;
    readonly inputs: object;
  };
  readonly conversation: { readonly resumable: boolean; readonly reason: string | null };
}

export const command: Command = {
  words: "ID",
  takes: [1, 1],
  completes: ["session"],
  about:
    "Tells why the state of a session is what it is: the rule and what it saw, what every source says now, whether work on it can go on (as `should-resume` says), with the inputs of that, and whether its conversation can be resumed.",
  options: { json: JSON_OPTION },
  examples: [["rollcall explain build", "why is it waiting?"]],
  async run(input, output) {
    return withDaemon(output, async (client, rollcall) => {
      const sessionId = await rollcall.resolve(input.words[0] as string);
      const explained = await client.call<Explanation>("explain_session", { sessionId });
      if (output.isJson) output.json(explained);
      else output.text(`${describe(explained)}\n`);
      return 0;
    });
  },
};

function describe(explained: Explanation): string {
  const { sessionId, state, since, source, rule, evidence, sources, resume, conversation } = explained;
  const now = Date.now();
  return [
    `${sessionId} is ${state}, since ${since} (${relativeTime(since, now)}).`,
    `Because of ${source}: ${rule ?? "no rule is known"}${evidence?.excerpt ? ` (${evidence.excerpt})` : ""}.`,
    "Now:",
    ...sources.map(
      ({ source: name, says, at }) => `  ${name}: ${says}${at === null ? "" : ` (${relativeTime(at, now)})`}`,
    ),
    `Work can go on: ${resume.resume ? `yes, by ${resume.how}` : `no, ${resume.reason}`}`,
    ...Object.entries(toWire(resume.inputs) as object).map(([name, value]) => `  ${name}: ${value ?? "—"}`),
    `Conversation can be resumed: ${conversation.resumable ? "yes" : `no, ${conversation.reason}`}`,
  ].join("\n");
}
