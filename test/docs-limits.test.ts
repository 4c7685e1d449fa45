import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LONGEST_LINE as LONGEST_AGENT_LINE } from "../src/daemon/sources/line-splitter.ts";
import { METADATA_LIMIT_BYTES } from "../src/domain/check.ts";
import { LONGEST_DURATION_MS } from "../src/domain/time.ts";
import { SETTINGS } from "../src/home/settings.ts";
import { LONGEST_LINE as LONGEST_CALL } from "../src/operations/protocol.ts";

const root = join(import.meta.dirname, "..");
const MIB = 1024 * 1024;
const limits = new Map(
  readFileSync(join(root, "docs", "operations.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map(([, value = "", most = ""]) => [value, most]),
);

test.each([
  ["metadata of a session, as JSON", `${METADATA_LIMIT_BYTES.toLocaleString("en")} bytes`],
  ["one call to the daemon", `${LONGEST_CALL / MIB} MiB`],
  ["line of an agent's JSON stream", `${LONGEST_AGENT_LINE / MIB} MiB`],
  ["line of an agent's transcript", `${LONGEST_AGENT_LINE / MIB} MiB`],
  ["time-outs and graces of commands", `${LONGEST_DURATION_MS / 86_400_000} days`],
  [
    "recording of a terminal",
    `\`recording.max_bytes\`, ${SETTINGS["recording.max_bytes"].default / MIB} MiB`,
  ],
  ["size of a terminal", `${native("COLS_MOST")} columns, ${native("ROWS_MOST")} rows`],
  ["input that waits for an agent which does not read", `${native("INPUT_MAX") / MIB} MiB`],
  [
    "connections to one holder (terminals attached to one session, and the daemon)",
    String(native("CLIENTS_MAX")),
  ],
  ["`.rollcall/.gitignore` of a workspace", kib("record/files/record-folder.ts", "MOST_IGNORE_BYTES")],
  ["`config.json`, a project's `.rollcall.json`", mib("home/settings.ts", "MOST_BYTES")],
  ["git's `.git`, `HEAD`, refs", kib("machine/workspace.ts", "MOST_BYTES")],
  ["git's `packed-refs`", mib("machine/workspace.ts", "MOST_PACKED_BYTES")],
  ["transcript of an agent", `${constant("daemon/tails/file-tail.ts", "MOST_BYTES") / MIB / 1024} GiB`],
  ["first line of a transcript", mib("machine/first-line.ts", "MOST_BYTES")],
  [
    "live file of an agent, file about a sub-agent",
    mib("daemon/outside/live-files.ts", "MOST_LIVE_FILE_BYTES"),
  ],
  [
    "live file of an agent, file about a sub-agent",
    mib("daemon/subagents/subagent-files.ts", "MOST_SIDECAR_BYTES"),
  ],
  ["file of a hook", mib("daemon/sources/hook-spool.ts", "MOST_BYTES")],
  ["plain output in one entry", kib("daemon/sources/follower.ts", "PIECE_BYTES")],
  ["one event, or one answer, of an agent's own server", mib("daemon/sources/agent-server.ts", "MOST_BYTES")],
  ["one event, or one answer, of an agent's own server", mib("daemon/sources/event-parser.ts", "MOST_CHARS")],
  [
    "payload of a hook",
    `${mib("daemon/sources/hook-spool.ts", "MOST_BYTES")}; in one beyond ${mib("daemon/sources/hook-spool.ts", "LARGE_BYTES")} the first 64 KiB of each text`,
  ],
  [
    "notifications",
    `${constant("daemon/feed/notify.ts", "MOST_AT_ONCE")} at once, 10 s each, ${constant("daemon/feed/notify.ts", "MOST_WAITING")} waiting`,
  ],
  [
    "folders of agents that are watched for sessions outside",
    `${constant("daemon/outside/folder-tree.ts", "MOST_FOLDERS")}, three levels deep`,
  ],
  [
    "walk through a workspace for its size",
    `${constant("daemon/samples/workspace-sizes.ts", "MOST_MS") / 1000} s`,
  ],
  ["`daemon.log`", `${mib("daemon/log.ts", "MOST_BYTES")}, and three old ones`],
])("docs/operations.md has the limit of %s as the code has it", (value, most) => {
  expect(limits.get(value)).toBe(most);
});

function mib(path: string, name: string): string {
  return `${constant(path, name) / MIB} MiB`;
}

function kib(path: string, name: string): string {
  return `${constant(path, name) / 1024} KiB`;
}

/** A number that only its own file of the source knows: a product or a power at most. */
function constant(path: string, name: string): number {
  const text = readFileSync(join(root, "src", path), "utf8");
  const says = new RegExp(`^(?:export )?const ${name} = ([\\d_ *]+);`, "m").exec(text)?.[1] ?? "NaN";
  const factors = says.replaceAll("_", "").split(/(?<!\*) \* (?!\*)/);
  const powerOf = (factor: string) =>
    factor
      .split("**")
      .map(Number)
      .reduceRight((power, base) => base ** power);
  return factors.map(powerOf).reduce((product, factor) => product * factor, 1);
}

/** A number of the holder, which is a product at most. */
function native(name: string): number {
  const headers = ["options.h", "input.h", "holder.h"].map((file) => join(root, "native", file));
  const text = headers.map((path) => readFileSync(path, "utf8")).join("\n");
  const product = new RegExp(`\\b${name} = ([\\d *]+)`).exec(text)?.[1] ?? "NaN";
  return product.split("*").reduce((result, factor) => result * Number(factor), 1);
}
