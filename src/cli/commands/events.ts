import { RollcallError } from "../../domain/errors.ts";
import type { FeedEvent, SessionEvent } from "../../domain/session/event.ts";
import { toWire } from "../../domain/wire.ts";
import { shortId } from "../../present/format.ts";
import { printable } from "../../present/text.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type Command, has, type Input, JSON_OPTION, optionOf } from "../framework/command.ts";
import { interrupted } from "../framework/interrupted.ts";
import { parseCount } from "../framework/parse-value.ts";
import { withRollcall } from "../open.ts";

type AnyEvent = FeedEvent | SessionEvent;

export const command: Command = {
  words: "[ID]",
  takes: [0, 1],
  completes: ["session"],
  about:
    "Shows what happened to one session, or to all of them in the order it was committed. With -f it goes on until you stop it.\nFor programs it prints one JSON object on each line.",
  options: {
    follow: { short: "f", about: "go on with what happens from now on" },
    after: { value: "CURSOR", about: "only what came later: a seq of the session, or a cursor of the feed" },
    limit: { value: "N", about: "at most so many" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall events a1b2c3", "the life of one session"],
    ["rollcall events -f", "everything, as it happens"],
    ["rollcall events -f --json | jq .kind", "for a program"],
  ],
  async run(input, output) {
    return withRollcall(output, async (rollcall) => {
      const limit = optionOf(input, "limit");
      let left = limit === undefined ? Number.POSITIVE_INFINITY : parseCount(limit, "--limit");
      const isForPrograms = output.isJson || (has(input, "follow") && !output.isTerminal);
      for await (const event of await eventsOf(rollcall, input)) {
        output.text(`${isForPrograms ? JSON.stringify(toWire(flat(event))) : describe(event)}\n`);
        left -= 1;
        if (left <= 0) break;
      }
      return 0;
    });
  },
};

async function eventsOf(rollcall: Rollcall, input: Input): Promise<AsyncIterable<AnyEvent>> {
  const reference = input.words[0];
  const id = reference === undefined ? undefined : await rollcall.resolve(reference);
  const follow = has(input, "follow");
  const after = optionOf(input, "after");
  if (id === undefined) {
    const start = after ?? (follow ? await rollcall.feedEnd() : undefined);
    return rollcall.feed({ follow, signal: interrupted(), ...(start === undefined ? {} : { after: start }) });
  }
  const afterSeq = after === undefined ? 0 : seqOf(after);
  return follow ? followSession(rollcall, id, afterSeq) : rollcall.events(id, { after: afterSeq });
}

/** First what the session has, then what the feed brings of it. */
async function* followSession(rollcall: Rollcall, id: string, after: number): AsyncIterable<AnyEvent> {
  const end = await rollcall.feedEnd();
  let seq = after;
  for await (const event of rollcall.events(id, { after })) {
    seq = event.seq;
    yield event;
  }
  for await (const event of rollcall.feed({ after: end, follow: true, signal: interrupted() })) {
    if (event.sessionId === id && (!("seq" in event) || event.seq > seq)) yield event;
  }
}

function seqOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new RollcallError("bad_input", `${JSON.stringify(text)} is not a seq for --after.`, {
    hint: "Give a whole number from 0 up.",
  });
}

function flat({ body, ...event }: AnyEvent): object {
  const { kind, ...rest } = body;
  return { ...event, kind, body: rest };
}

function describe(event: AnyEvent): string {
  const seq = "seq" in event ? String(event.seq) : "";
  const text = detailOf(event.body);
  const short = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return printable(
    `${event.at}  ${shortId(event.sessionId)}  ${seq.padStart(4)}  ${event.body.kind.padEnd(15)}  ${short}`,
  );
}

/** The state that an event leads to, why, and the rest. */
function detailOf(body: AnyEvent["body"]): string {
  const { kind: _, ...fields } = body;
  if (!("evidence" in fields)) return JSON.stringify(toWire(fields));
  const { state, evidence, ...rest } = fields;
  const excerpt = evidence.excerpt === null ? "" : ` (${evidence.excerpt})`;
  return `${state}  ${evidence.source}: ${evidence.rule}${excerpt}  ${JSON.stringify(toWire(rest))}`;
}
