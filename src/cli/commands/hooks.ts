import { homedir } from "node:os";
import { join } from "node:path";
import { HOOKED_TYPES, loadHooks } from "../../agents/hook-registry.ts";
import type { HookPrograms, HookSettings } from "../../agents/hooks.ts";
import { checkOneOf } from "../../domain/check.ts";
import { RollcallError } from "../../domain/errors.ts";
import { AGENT_TYPES } from "../../domain/session/session.ts";
import { hookPlaces, placeHookScript } from "../../home/hook-script.ts";
import { homeFolder } from "../../home/layout.ts";
import { checkStateFolder } from "../../home/state-folder.ts";
import { askYes } from "../framework/ask.ts";
import { type Command, has, type Input, JSON_OPTION } from "../framework/command.ts";
import { findCommand, type Registered } from "../framework/commands.ts";
import { commandHelp } from "../framework/help.ts";
import { isTerminal, type Output } from "../framework/output.ts";
import { usage } from "../framework/parse.ts";
import { redacted } from "../framework/redacted.ts";
import { lineDiff } from "../hooks/line-diff.ts";
import { readSettingsFile, replaceSettingsFile, type SettingsFile } from "../hooks/settings-file.ts";
import { binFolder } from "../live.ts";

const ACTIONS = ["install", "remove"] as const;

interface Plan {
  readonly type: string;
  readonly action: (typeof ACTIONS)[number];
  readonly settings: HookSettings;
  readonly file: SettingsFile;
  /** The new content of the file. */
  readonly text: string;
  readonly diff: readonly string[];
  readonly dryRun: boolean;
}

export const command: Command = {
  words: "install|remove TYPE",
  takes: [0, 2],
  completes: [ACTIONS, HOOKED_TYPES],
  about:
    "Puts hooks into an agent's own settings, or takes exactly them out again.\nWith them it asks before it delegates, tells when a sub-agent has stopped, and reports its sessions that Rollcall did not start.\nWhat changes is shown first, at a terminal you are asked, and what was there is kept in a file beside it.",
  options: {
    "dry-run": { about: "only show what would change" },
    yes: { short: "y", about: "do not ask" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall hooks install claude --dry-run", "see what would change"],
    ["rollcall hooks install claude", "into ~/.claude/settings.json, or that of CLAUDE_CONFIG_DIR"],
    ["rollcall hooks remove claude", "take them out again"],
  ],
  async run(input, output) {
    if (input.words.length === 0) return showHelp(output);
    const plan = await planOf(input);
    const isChange = plan.diff.length > 0;
    if (isChange && !output.isJson) output.text(`${(await redacted(plan.diff)).join("\n")}\n`);
    if (isChange && !plan.dryRun && !has(input, "yes") && output.isTerminal && isTerminal(0))
      await confirm(plan);
    const backup = plan.dryRun ? null : carryOut(plan);
    await report(plan, backup, output);
    return 0;
  },
};

function showHelp(output: Output): number {
  output.line(commandHelp(findCommand("hooks") as Registered, command));
  return 0;
}

async function planOf(input: Input): Promise<Plan> {
  const action = checkOneOf(ACTIONS, input.words[0], "thing to do with hooks");
  const [, type] = input.words;
  if (type === undefined) throw usage(`\`hooks ${action}\` needs the type of an agent.`, "hooks");
  const settings = await getSettings(type);
  const file = readSettingsFile(settings.path({ ...process.env, HOME: homedir() }));
  const before = file.text === null || file.text.trim() === "" ? "{}\n" : file.text;
  const text =
    action === "install" ? settings.install(before, programs(), file.path) : settings.remove(before);
  const diff = text === before ? [] : lineDiff(file.text ?? "", text);
  return { type, action, settings, file, text, diff, dryRun: has(input, "dry-run") };
}

async function getSettings(type: string): Promise<HookSettings> {
  const hooks = await loadHooks(type);
  if (hooks) return hooks.settings;
  if (!(AGENT_TYPES as readonly string[]).includes(type)) checkOneOf(HOOKED_TYPES, type, "agent with hooks");
  throw new RollcallError("not_offered", `There are no hooks for ${type} yet.`, {
    hint: `Offered: ${HOOKED_TYPES.join(", ")}.`,
  });
}

/** Claude runs a script in the state folder: it must be nobody else's to change. */
function programs(): HookPrograms {
  const home = homeFolder();
  checkStateFolder(home);
  return {
    node: process.execPath,
    launcher: join(binFolder(), "rollcall.cjs"),
    script: hookPlaces(home).script,
    home: home === join(homedir(), ".rollcall") ? null : home,
  };
}

async function confirm({ file }: Plan): Promise<void> {
  if (await askYes(`Change ${file.path} like this?`)) return;
  throw new RollcallError("declined", "Nothing was changed.");
}

/** The script comes first: hooks that are there must find it. */
function carryOut({ action, file, text, diff }: Plan): string | null {
  if (action === "install") placeHookScript(homeFolder());
  return diff.length === 0 ? null : replaceSettingsFile(file, text, Date.now());
}

async function report(plan: Plan, backup: string | null, output: Output): Promise<void> {
  const { type, file, diff, dryRun } = plan;
  const changed = diff.length > 0;
  if (output.isJson)
    output.json({ agentType: type, path: file.path, changed, dryRun, backup, diff: await redacted(diff) });
  else output.note(sentenceFor(plan, changed));
  if (backup !== null && !output.isJson) output.note(`What was there is in ${backup}.`);
}

function sentenceFor({ action, settings, file, text, dryRun }: Plan, changed: boolean): string {
  const isInstall = action === "install";
  if (!changed)
    return isInstall
      ? `The hooks are in ${file.path} already.`
      : `There are no hooks of ours in ${file.path}.`;
  const count = isInstall ? settings.count(text) : settings.count(file.text ?? "{}");
  const would = dryRun ? "would be" : "were";
  return isInstall
    ? `${count} hooks ${would} put into ${file.path}.`
    : `${count} hooks ${would} taken out of ${file.path}.`;
}
