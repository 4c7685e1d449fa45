import { RollcallError } from "../../domain/errors.ts";
import { CHANNELS, type Channel, KINDS, type Kind } from "../../domain/session/session.ts";
import { STATES, STATUSES, type State, type Status } from "../../domain/session/state.ts";
import { toWire } from "../../domain/wire.ts";
import { listOrder } from "../../present/roll-order.ts";
import { sessionColumns } from "../../present/session-columns.ts";
import type { ListOptions } from "../../record/filter.ts";
import type { Rollcall, SessionPage } from "../../record/rollcall.ts";
import { type Command, has, type Input, JSON_OPTION, optionOf } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { parseLimit, parseTime } from "../framework/parse-value.ts";
import { keepHeapSmall } from "../framework/small-heap.ts";
import { type Freshness, freshen } from "../freshen.ts";
import { withRollcall } from "../open.ts";
import { table } from "../table.ts";
import { terminalsOf } from "../terminals.ts";

export const command: Command = {
  words: "",
  takes: [0, 0],
  about:
    "Lists sessions, newest activity first. Filters apply before the limit. At a terminal 50 rows are shown; in a pipe, with -q or --json all.",
  options: {
    "active-only": { about: "only sessions of status active" },
    resumable: { about: "only sessions whose work can go on (should-resume says yes)" },
    agent: { value: "NAME", about: "of this agent name or type" },
    state: { value: "STATE", about: "in this state", choices: [...STATES, "detached"] },
    status: { value: "STATUS", about: "of this status", choices: STATUSES },
    kind: { value: "KIND", about: "of this kind", choices: KINDS },
    channel: { value: "CHANNEL", about: "that came through this channel", choices: CHANNELS },
    where: { value: "KEY=VALUE", about: "with this field or metadata key", multiple: true },
    since: { value: "TIME", about: "active since then, such as 2h or 2026-01-08" },
    until: { value: "TIME", about: "last active before then" },
    "created-since": { value: "TIME", about: "created since then" },
    "created-until": { value: "TIME", about: "created before then" },
    limit: { value: "N", about: "at most so many, or all" },
    cursor: { value: "CURSOR", about: "go on behind an earlier page" },
    wide: { about: "show every column in full, however wide the terminal is" },
    quiet: { short: "q", about: "print ids only" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall list --active-only", "what is going on"],
    ["rollcall list --agent terraform-architect --resumable", "what can be taken up again"],
    ["rollcall list --where task_id=T001 --json", "all of one task"],
    ["rollcall list --active-only --wide", "with CPU and memory"],
    ["rollcall ls --status failed --since 1d -q", "ids of what failed lately"],
  ],
  async run(input, output) {
    return withRollcall(output, async (rollcall) => {
      const options = listOptions(input, rollcall.context.now());
      const freshness = await freshen(rollcall, output);
      const limit = limitOf(input, output, rollcall.context.config["list.limit"]);
      if (output.isJson) await printJson(rollcall, { ...options, limit }, output, freshness);
      else if (has(input, "quiet")) await printIds(rollcall, { ...options, limit }, output);
      else await printTable(rollcall, { ...options, limit, isWide: has(input, "wide") }, output);
      return 0;
    });
  },
};

/** Small, because what a page leaves behind is what a long list takes in memory. */
const PAGE = 50;

function limitOf(input: Input, output: Output, atTerminal: number): number {
  const given = optionOf(input, "limit");
  if (given !== undefined) return parseLimit(given);
  return output.isTerminal && !output.isJson && !has(input, "quiet") ? atTerminal : 0;
}

function listOptions(input: Input, now: number): ListOptions {
  const text = (name: string) => optionOf(input, name);
  const time = (name: string) => {
    const given = text(name);
    return given === undefined ? undefined : parseTime(given, `--${name}`, now);
  };
  const options = {
    activeOnly: has(input, "active-only") || undefined,
    resumable: has(input, "resumable") || undefined,
    agent: text("agent"),
    // The words are checked against their lists by the record operations.
    state: text("state") as State | "detached" | undefined,
    status: text("status") as Status | undefined,
    kind: text("kind") as Kind | undefined,
    channel: text("channel") as Channel | undefined,
    where: whereOf(input.values.get("where")),
    since: time("since"),
    until: time("until"),
    createdSince: time("created-since"),
    createdUntil: time("created-until"),
    cursor: text("cursor"),
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function whereOf(pairs: readonly string[] | undefined): Record<string, string> | undefined {
  if (!pairs) return undefined;
  const parsed = pairs.map((pair) => {
    const at = pair.indexOf("=");
    if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)] as const;
    throw new RollcallError("bad_input", `${JSON.stringify(pair)} is not KEY=VALUE.`, {
      hint: "Write it like task_id=T001.",
    });
  });
  return Object.fromEntries(parsed);
}

/** Page by page, so that a list of any length takes little memory. */
async function* pages(
  rollcall: Rollcall,
  options: ListOptions & { limit: number },
): AsyncIterable<SessionPage> {
  let left = options.limit || Number.POSITIVE_INFINITY;
  let cursor = options.cursor;
  for (;;) {
    const page = await rollcall.page({
      ...options,
      limit: Math.min(PAGE, left),
      ...(cursor === undefined ? {} : { cursor }),
    });
    yield page;
    left -= page.sessions.length;
    if (page.nextCursor === null || left <= 0) return;
    cursor = page.nextCursor;
  }
}

async function printJson(
  rollcall: Rollcall,
  options: ListOptions & { limit: number },
  output: Output,
  freshness: Freshness,
): Promise<void> {
  keepHeapSmall();
  let separator = "";
  let next: string | null = null;
  // The first page comes before the first character: what is refused leaves no half an answer.
  let opening = '{"sessions":[';
  for await (const { sessions, nextCursor, corrupt } of pages(rollcall, options)) {
    output.piece(opening);
    opening = "";
    for (const session of sessions) {
      output.text(separator + JSON.stringify(toWire(session)));
      separator = ",";
    }
    next = nextCursor;
    warnOfCorrupt(corrupt, output);
  }
  output.piece(`],"next_cursor":${JSON.stringify(next)}${freshness.stale ? ',"stale":true' : ""}}\n`);
}

async function printIds(
  rollcall: Rollcall,
  options: ListOptions & { limit: number },
  output: Output,
): Promise<void> {
  for await (const { sessions, corrupt } of pages(rollcall, options)) {
    output.piece(sessions.map(({ id }) => `${id}\n`).join(""));
    warnOfCorrupt(corrupt, output);
  }
}

async function printTable(
  rollcall: Rollcall,
  { isWide, ...options }: ListOptions & { limit: number; isWide: boolean },
  output: Output,
): Promise<void> {
  const width = isWide ? Number.POSITIVE_INFINITY : output.width;
  const now = rollcall.context.now();
  let isFirst = true;
  let shown = 0;
  let next: string | null = null;
  for await (const { sessions, nextCursor, corrupt } of pages(rollcall, options)) {
    const rows = listOrder(sessions);
    const columns = sessionColumns(rows, { width, now, asksInRow: true, terminals: terminalsOf(sessions) });
    const lines = table(rows, columns, { width, header: isFirst && output.isTerminal });
    if (sessions.length > 0) output.piece(`${lines.join("\n")}\n`);
    isFirst = false;
    shown += sessions.length;
    next = nextCursor;
    warnOfCorrupt(corrupt, output);
  }
  if (!output.isTerminal) return;
  if (shown === 0) output.note("No sessions. Make a record with `rollcall create --agent NAME`.");
  if (next !== null) output.note(`More: the same with --cursor ${next}, or with --limit all.`);
}

function warnOfCorrupt(ids: readonly string[], output: Output): void {
  if (ids.length > 0) output.warn(`Damaged and left out: ${ids.join(", ")}. See \`rollcall verify\`.`);
}
