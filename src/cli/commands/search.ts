import { resolve } from "node:path";
import { OUTCOMES, type Outcome } from "../../domain/session/outcome.ts";
import { ENTRY_ROLES, type EntryRole } from "../../domain/transcript/entry.ts";
import { describeHits, printableExcerpt } from "../../present/describe-hits.ts";
import { goOn } from "../../present/go-on.ts";
import type { SearchOptions } from "../../record/filter.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type Command, has, type Input, JSON_OPTION, optionOf } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { parseCount, parseTime } from "../framework/parse-value.ts";
import { withRollcall } from "../open.ts";
import { paint } from "../table.ts";

type SearchHit = Awaited<ReturnType<Rollcall["search"]>>["items"][number];

export const command: Command = {
  words: "QUERY…",
  takes: [1, Number.POSITIVE_INFINITY],
  about:
    'Finds words in transcripts, names, goals, summaries and errors, best matches first (BM25), of equal ones the last recorded. All words must occur; "a phrase" in quotes, a beginning with *, a word to leave out with - (in quotes for the shell, or behind --). Each hit comes with the command that goes on with its session.',
  options: {
    agent: { value: "NAME", about: "of this agent name or type" },
    folder: { value: "DIR", about: "of sessions that work in this folder or below" },
    since: { value: "TIME", about: "said since then, such as 2h or 2026-01-08" },
    until: { value: "TIME", about: "said before then" },
    tool: { value: "NAME", about: "calls and results of this tool" },
    role: { value: "ROLE", about: "said by this role", choices: ENTRY_ROLES },
    outcome: { value: "OUTCOME", about: "of sessions that ended like this", choices: OUTCOMES },
    rewound: { about: "also what a person took back" },
    limit: { value: "N", about: "at most so many (20)" },
    cursor: { value: "CURSOR", about: "go on behind an earlier page" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall search memory limit", "both words"],
    [`rollcall search '"pod crash loop" -staging'`, "a phrase, without another word"],
    ["rollcall search panic --tool bash --since 7d", "what a tool printed this week"],
    ["rollcall search terraf* --folder ~/infra --json", "a beginning, for a program"],
  ],
  async run(input, output) {
    return withRollcall(output, async (rollcall) => {
      const { now, cwd } = rollcall.context;
      const page = await rollcall.search(input.words.join(" "), searchOptions(input, now(), cwd));
      const hits = page.items.map((hit) => visibleHit(hit, output));
      if (output.isJson) output.json({ hits: hits.map(wireHit), nextCursor: page.nextCursor ?? null });
      else if (hits.length === 0) output.note("Nothing found.");
      else output.line(describeHits(hits, { width: output.width, now: now(), paint }));
      if (page.corrupt?.length)
        output.warn(`Damaged and left out: ${page.corrupt.join(", ")}. See \`rollcall verify\`.`);
      if (page.nextCursor !== undefined && !output.isJson)
        output.note(`More: the same with --cursor ${page.nextCursor}.`);
      return 0;
    });
  },
};

function searchOptions(input: Input, now: number, cwd: string): SearchOptions {
  const text = (name: string) => optionOf(input, name);
  const time = (name: string) => {
    const given = text(name);
    return given === undefined ? undefined : parseTime(given, `--${name}`, now);
  };
  const [folder, limit] = [text("folder"), text("limit")];
  const options = {
    agent: text("agent"),
    folder: folder === undefined ? undefined : resolve(cwd, folder),
    since: time("since"),
    until: time("until"),
    tool: text("tool"),
    // The words are checked against their lists by the record operations.
    role: text("role") as EntryRole | undefined,
    outcome: text("outcome") as Outcome | undefined,
    limit: limit === undefined ? undefined : parseCount(limit, "--limit"),
    cursor: text("cursor"),
    withRewound: has(input, "rewound") || undefined,
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** A secret that became one only after it was stored is hidden here; its marks would stand elsewhere then. */
function visibleHit(hit: SearchHit, output: Output): SearchHit {
  const excerpt = output.hide(hit.excerpt);
  return { ...hit, ...printableExcerpt({ excerpt, marks: excerpt === hit.excerpt ? hit.marks : [] }) };
}

function wireHit({ session, sessionId, ...hit }: SearchHit): object {
  const { name, agentType, agentName, workspacePath, state, outcome } = session;
  return {
    sessionId,
    ...{ name, agentType, agentName, workspacePath, state, outcome },
    ...hit,
    goOn: goOn(session, hit.seq),
  };
}
