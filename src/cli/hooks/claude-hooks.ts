import { homedir } from "node:os";
import { join } from "node:path";
import { type Group, type Groups, ourHook } from "./hook-groups.ts";

/** What the hooks call. */
export interface HookPrograms {
  readonly node: string;
  readonly launcher: string;
  /** The script of the hook spool. */
  readonly script: string;
  /** The state folder; null for the one that is taken by default. */
  readonly home: string | null;
}

/** What a session outside Rollcall can be told from. A question is a PermissionRequest, too. */
const REPORTED = [
  "SessionStart",
  "UserPromptSubmit",
  "PermissionRequest",
  "Stop",
  "StopFailure",
  "Notification",
  "SessionEnd",
];

export function claudeSettingsPath(env: NodeJS.ProcessEnv): string {
  return join(env.CLAUDE_CONFIG_DIR || join(homedir(), ".claude"), "settings.json");
}

/** The two of its delegations, and those that report. Where Rollcall is gone they do nothing. */
export function claudeHooks({ node, launcher, script, home }: HookPrograms): Groups {
  const environment = home === null ? "" : `ROLLCALL_HOME=\${ROLLCALL_HOME:-${quoted(home)}} `;
  const call = `${environment}${quoted(node)} ${quoted(launcher)}`;
  const delegation = (name: string) =>
    ourHook(`[ ! -r ${quoted(launcher)} ] || ${call} hook ${name} --from claude`, 10);
  // Not by `sh SCRIPT`: for a script that is gone some shells exit 2, which Claude takes for a block.
  const report = (event: string) =>
    ourHook(`[ ! -x ${quoted(script)} ] || ${quoted(script)} ${event} outside`, 5);
  return [
    ["PreToolUse", { matcher: "Task|Agent", hooks: [delegation("pre-delegate")] }],
    ["SubagentStop", { hooks: [delegation("subagent-stop")] }],
    ...REPORTED.map((event): readonly [string, Group] => [event, { hooks: [report(event)] }]),
  ];
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
