import { checkOneOf } from "../../domain/check.ts";
import { configPath, homeFolder } from "../../home/layout.ts";
import { checkName, loadConfig, SETTINGS, saveSetting } from "../../home/settings.ts";
import { workspaceOf } from "../../machine/workspace.ts";
import { type Command, JSON_OPTION } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { usage } from "../framework/parse.ts";
import { table } from "../table.ts";

const ACTIONS = ["get", "set", "unset", "path"] as const;

export const command: Command = {
  words: "get [NAME] | set NAME VALUE | unset NAME | path",
  takes: [1, 3],
  completes: [ACTIONS, Object.keys(SETTINGS)],
  about:
    "Shows and changes settings. They are kept in your state folder; a project's .rollcall.json may set the safe ones.",
  options: { json: JSON_OPTION },
  examples: [
    ["rollcall config get", "all settings, with what they are for"],
    ["rollcall config set resume.max_idle 2h", "sessions stay resumable for two hours"],
    [
      `rollcall config set prices '{"my-model":{"input":2,"output":10}}'`,
      "what a million tokens of a model cost you",
    ],
    ["rollcall config unset resume.max_idle", "back to the default"],
  ],
  async run(input, output) {
    const [action, name, value] = input.words;
    const home = homeFolder();
    switch (checkOneOf(ACTIONS, action, "thing to do with settings")) {
      case "get":
        if (value !== undefined) throw usage("`config get` takes one name.", "config");
        return show(home, name, output);
      case "set":
        if (name === undefined || value === undefined)
          throw usage("`config set` needs a name and a value.", "config");
        saveSetting(home, name, value);
        return show(home, name, output);
      case "unset":
        if (name === undefined || value !== undefined)
          throw usage("`config unset` needs one name.", "config");
        saveSetting(home, checkName(name), null);
        return show(home, name, output);
      case "path":
        if (name !== undefined) throw usage("`config path` takes no more words.", "config");
        if (output.isJson) output.json({ path: configPath(home) });
        else output.line(configPath(home));
        return 0;
    }
  },
};

function show(home: string, name: string | undefined, output: Output): number {
  const { config } = loadConfig(home, workspaceOf(process.cwd()));
  const names = name === undefined ? (Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]) : [checkName(name)];
  if (output.isJson) output.json(Object.fromEntries(names.map((key) => [key, config[key]])));
  else if (name !== undefined) output.line(text(config[checkName(name)]));
  else {
    const lines = table(
      names,
      [
        { title: "SETTING", text: (key) => key },
        { title: "VALUE", text: (key) => text(config[key]) },
        { title: "WHAT IT IS FOR", text: (key) => SETTINGS[key].about, isFlexible: true },
      ],
      { width: output.width, header: output.isTerminal },
    );
    for (const line of lines) output.line(line);
  }
  return 0;
}

function text(value: unknown): string {
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
