import { countOurs, type Group, type Groups, ourHook, withOurs, withoutOurs } from "../../hook-groups.ts";
import type { HookPrograms, HookSettings } from "../../hooks.ts";
import { configFolder } from "../paths.ts";
import { quoted } from "../settings.ts";

/** These tell of a session outside Rollcall. A question is a PermissionRequest, too. */
const REPORTED = [
  "SessionStart",
  "UserPromptSubmit",
  "PermissionRequest",
  "Stop",
  "StopFailure",
  "Notification",
  "SessionEnd",
];

/** The user's own `settings.json`. */
export const settings: HookSettings = {
  path: (env) => `${configFolder(env).replace(/\/+$/, "")}/settings.json`,
  install: (text, programs, path) => withOurs(text, groupsFor(programs), path),
  remove: withoutOurs,
  count: countOurs,
};

/** Two for its delegations, and those that report. They do nothing once Rollcall is gone. */
function groupsFor({ node, launcher, script, home }: HookPrograms): Groups {
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
