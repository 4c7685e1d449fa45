import { checkOneOf } from "../../domain/check.ts";
import { RollcallError } from "../../domain/errors.ts";
import { isJsonObject, type JsonObject } from "../../domain/json.ts";
import { AGENT_TYPES, CHANNELS, KINDS } from "../../domain/session/session.ts";
import type { CreateInput } from "../../record/create.ts";
import { has, type Input, type OptionSpec, optionOf } from "../framework/command.ts";
import { parseCount } from "../framework/parse-value.ts";

/** The flags that say what a session is; every command that makes one takes them. */
export const IDENTITY_OPTIONS = {
  id: { value: "ID", about: "an id of your own instead of a made one" },
  name: { value: "NAME", about: "a short name to call it by" },
  agent: { value: "NAME", about: "the part it plays, such as terraform-architect" },
  type: { value: "TYPE", about: "the program", choices: AGENT_TYPES },
  kind: { value: "KIND", about: "how it works", choices: KINDS },
  channel: { value: "CHANNEL", about: "who asked for it", choices: CHANNELS },
  role: { value: "ROLE", about: "its role in a chain of agents" },
  model: { value: "MODEL", about: "the model it uses" },
  purpose: { value: "TEXT", about: "what it is for (general)" },
  goal: { value: "TEXT", about: "what it is to reach" },
  chain: { value: "ID", about: "the chain of work it belongs to" },
  task: { value: "ID", about: "the task it works on" },
  parent: { value: "ID", about: "the session that it works for" },
  metadata: { value: "JSON", about: "anything else, as a JSON object" },
  workspace: { value: "DIR", about: "the folder it works in (the git root here)" },
  "no-file": { about: "keep no record file in the workspace" },
} as const satisfies Record<string, OptionSpec>;

const TEXTS = {
  id: "id",
  name: "name",
  agent: "agentName",
  role: "role",
  model: "model",
  purpose: "purpose",
  goal: "goal",
  chain: "chainId",
  task: "taskId",
  workspace: "workspace",
} as const satisfies Partial<Record<keyof typeof IDENTITY_OPTIONS, keyof CreateInput>>;

export function identityOf(input: Input, parentId?: string): CreateInput {
  const texts = Object.entries(TEXTS).map(([option, field]) => [field, optionOf(input, option)] as const);
  const pid = optionOf(input, "pid");
  const metadata = optionOf(input, "metadata");
  const type = optionOf(input, "type");
  const kind = optionOf(input, "kind");
  const channel = optionOf(input, "channel");
  return {
    ...Object.fromEntries(texts.filter(([, value]) => value !== undefined)),
    ...(type === undefined ? {} : { agentType: checkOneOf(AGENT_TYPES, type, "agent type") }),
    ...(kind === undefined ? {} : { kind: checkOneOf(KINDS, kind, "kind") }),
    ...(channel === undefined ? {} : { channel: checkOneOf(CHANNELS, channel, "channel") }),
    ...(parentId === undefined ? {} : { parentId }),
    ...(metadata === undefined ? {} : { metadata: parseMetadata(metadata) }),
    ...(pid === undefined ? {} : { pid: parseCount(pid, "--pid") }),
    ...(has(input, "no-file") ? { file: false } : {}),
  };
}

export function parseMetadata(text: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isJsonObject(parsed)) return parsed;
  } catch (cause) {
    throw new RollcallError("bad_json", "--metadata is not valid JSON.", { hint: HINT, cause });
  }
  throw new RollcallError("bad_json", "--metadata must be a JSON object.", { hint: HINT });
}

const HINT = `Write it like '{"task_id":"T001"}'.`;
