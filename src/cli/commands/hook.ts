import { readSync } from "node:fs";
import { HOOKED_TYPES, loadHooks } from "../../agents/hook-registry.ts";
import type { HookCodec, HookCodecs, HookName } from "../../agents/hooks.ts";
import { RollcallError } from "../../domain/errors.ts";
import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import { createRedactor } from "../../domain/redact/redact.ts";
import { secretValues } from "../../domain/redact/secret-values.ts";
import { readForeignText } from "../../machine/foreign-file.ts";
import { adviseDelegation, stopSubagent } from "../../record/delegate/delegate.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type Command, type Input, JSON_OPTION, optionOf } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { WIRE_CODECS } from "../hooks/wire-codecs.ts";
import { BY_PROJECT, withRollcall } from "../open.ts";

/** One of our hooks, for one form of payloads. */
interface Hook {
  answer(rollcall: Rollcall, payload: JsonObject): Promise<object>;
  /** The answer when there is nothing to go by. */
  fail(reason: string, payload: JsonObject): object;
}

export const HOOKS: Readonly<Record<HookName, (codecs: HookCodecs) => Hook>> = {
  "pre-delegate": (codecs) => hookOf(codecs["pre-delegate"], adviseDelegation),
  "subagent-stop": (codecs) => hookOf(codecs["subagent-stop"], stopSubagent),
};

/** Larger files are not read. */
const MOST_FILE_BYTES = 1024 * 1024;

export const command: Command = {
  words: "pre-delegate|subagent-stop",
  takes: [0, 1],
  completes: [Object.keys(HOOKS)],
  about:
    "Answers the hooks of an orchestrator: reads one JSON object on standard input and prints one.\npre-delegate tells whether a delegation should go on with an earlier session; subagent-stop finalises the session of a sub-agent.\nWith --from, both take what that agent hands to its own hooks, and answer as it wants to be answered.\nWhatever goes wrong, the answer is valid JSON and the exit code 0; only bad JSON or flags exit 1.",
  // The agents take 2 for a block.
  badUsageExit: 1,
  options: {
    from: { value: "TYPE", about: "the agent that calls", choices: HOOKED_TYPES },
    test: { about: "answer built-in examples in a store of their own" },
    json: JSON_OPTION,
  },
  examples: [
    [
      `echo '{"agent_name":"reviewer","agent_id":"session-…"}' | rollcall hook pre-delegate`,
      "before a delegation",
    ],
    [`echo '{"agent_id":"session-…","exit_code":0}' | rollcall hook subagent-stop`, "after a sub-agent"],
    ["rollcall hook pre-delegate --from claude", "as `rollcall hooks install claude` has it called"],
    ["rollcall hook pre-delegate --test", "see what it would say"],
  ],
  async run(input, output) {
    const name = input.words[0] ?? "";
    const from = fromOf(input);
    const hook = await findHook(name, from);
    if (!hook) throw unknownHook(name);
    if (input.flags.has("test")) return (await import("../hooks/hook-test.ts")).testHook(name, output, from);
    const parsed = readJsonObject(readInput());
    if (!parsed) {
      print(hook.fail("invalid_json", {}), from, output);
      output.warn("The hook input is not a JSON object.");
      return 1;
    }
    print(await answerSafely(hook, parsed, output), from, output);
    return 0;
  },
};

/** Undefined where there is no such hook. `from` is a type of agent with hooks of its own. */
export async function findHook(name: string, from: string | undefined): Promise<Hook | undefined> {
  const codecs = from === undefined ? WIRE_CODECS : (await loadHooks(from))?.codecs;
  return codecs && Object.hasOwn(HOOKS, name) ? HOOKS[name as HookName](codecs) : undefined;
}

function hookOf<Given, Result>(
  codec: HookCodec<Given, Result>,
  answer: (rollcall: Rollcall, given: Given) => Promise<Result>,
): Hook {
  return {
    fail: codec.fail,
    async answer(rollcall, payload) {
      const given = codec.parse(payload, textOf(codec.file?.(payload)));
      if (given === undefined) return {};
      return codec.encode(await answer(rollcall, given), rollcall.context.redact(payload));
    },
  };
}

/** Null where there is none that could be read: the payload alone has to do then. */
function textOf(path: string | undefined): string | null {
  try {
    return path === undefined ? null : readForeignText(path, MOST_FILE_BYTES);
  } catch {
    return null;
  }
}

function fromOf(input: Input): string | undefined {
  const from = optionOf(input, "from");
  if (from === undefined || HOOKED_TYPES.includes(from)) return from;
  throw new RollcallError("bad_usage", `${JSON.stringify(from)} does not call these hooks.`, {
    hint: `Valid: ${HOOKED_TYPES.join(", ")}.`,
  });
}

/** An agent gets an answer of its own form, which is not that of our wire. */
function print(answer: object, from: string | undefined, output: Output): void {
  if (from === undefined) output.json(answer);
  else output.text(`${JSON.stringify(answer)}\n`);
}

/** A hook never breaks the agent that calls it. */
async function answerSafely(hook: Hook, input: JsonObject, output: Output): Promise<object> {
  try {
    const options = { ...BY_PROJECT, channel: "hook", warn: () => {}, busyTimeoutMs: 2000 } as const;
    return await withRollcall(output, (rollcall) => hook.answer(rollcall, input), options);
  } catch (error) {
    const redactor = createRedactor(secretValues(process.env));
    output.warn(redactor.text(error instanceof Error ? error.message : String(error)));
    return hook.fail(reasonOf(error), redactor.value(input));
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof RollcallError)) return "error";
  if (error.code === "finalized" || error.code === "corrupt") return error.code;
  return error.code.startsWith("store_") ? "unavailable" : "error";
}

function unknownHook(name: string): RollcallError {
  const message = name === "" ? "The hook has no name." : `${JSON.stringify(name)} is not a hook.`;
  return new RollcallError("bad_usage", message, { hint: `Valid: ${Object.keys(HOOKS).join(", ")}.` });
}

/** Some callers hand over a pipe that does not wait; what it will bring is waited for all the same. */
function readInput(): string {
  const chunks: Buffer[] = [];
  const chunk = Buffer.alloc(65_536);
  for (;;) {
    try {
      const length = readSync(0, chunk);
      if (length === 0) return Buffer.concat(chunks).toString();
      chunks.push(Buffer.from(chunk.subarray(0, length)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return "";
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
