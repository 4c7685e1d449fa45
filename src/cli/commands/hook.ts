import { readSync } from "node:fs";
import { RollcallError } from "../../domain/errors.ts";
import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import { createRedactor } from "../../domain/redact/redact.ts";
import { secretValues } from "../../domain/redact/secret-values.ts";
import { adviseDelegation, stopSubagent } from "../../record/delegate/delegate.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type Command, type Input, JSON_OPTION, optionOf } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { withRollcall } from "../open.ts";

interface Hook {
  /** What it says when it has nothing to go by. */
  readonly fallback: (reason: string, input: JsonObject) => object;
  readonly answer: (rollcall: Rollcall, input: JsonObject) => Promise<object>;
  /** Whether the answer has the caller's own form, which is not that of our wire. */
  readonly isForeign?: true;
}

type Hooks = Readonly<Record<string, Hook>>;

export const HOOKS: Hooks = {
  "pre-delegate": {
    fallback: (reason, originalContext) => ({
      shouldResume: false,
      reason,
      agentId: textOrNull(originalContext.agent_id),
      resumeMetadata: null,
      originalContext,
      candidates: [],
    }),
    answer: adviseDelegation,
  },
  "subagent-stop": {
    fallback: (reason, input) => ({ finalized: false, reason, agentId: textOrNull(input.agent_id) }),
    answer: stopSubagent,
  },
};

/** Agents that call the hooks themselves, with input and answers of their own form. */
export const CALLERS: Readonly<Record<string, () => Promise<Hooks>>> = {
  claude: async () => {
    const { adviseClaude, stopClaudeSubagent } = await import("../../record/delegate/claude-delegation.ts");
    return {
      "pre-delegate": { fallback: () => ({}), answer: adviseClaude, isForeign: true },
      "subagent-stop": { fallback: () => ({}), answer: stopClaudeSubagent, isForeign: true },
    };
  },
};

export const command: Command = {
  words: "pre-delegate|subagent-stop",
  takes: [0, 1],
  completes: [Object.keys(HOOKS)],
  about:
    "Answers the hooks of an orchestrator: reads one JSON object on standard input and prints one.\npre-delegate tells whether a delegation should go on with an earlier session; subagent-stop finalises the session of a sub-agent.\nWith --from, both take what that agent hands to its own hooks, and answer as it wants to be answered.\nWhatever goes wrong, the answer is valid JSON and the exit code 0; only bad JSON or flags exit 1.",
  // The agents take 2 for a block.
  badUsageExit: 1,
  options: {
    from: { value: "TYPE", about: "the agent that calls", choices: Object.keys(CALLERS) },
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
      print(hook, hook.fallback("invalid_json", {}), output);
      output.warn("The hook input is not a JSON object.");
      return 1;
    }
    print(hook, await answerSafely(hook, parsed, output), output);
    return 0;
  },
};

export async function findHook(name: string, from: string | undefined): Promise<Hook | undefined> {
  const hooks = from === undefined ? HOOKS : await CALLERS[from]?.();
  return hooks && Object.hasOwn(hooks, name) ? hooks[name] : undefined;
}

function fromOf(input: Input): string | undefined {
  const from = optionOf(input, "from");
  if (from === undefined || Object.hasOwn(CALLERS, from)) return from;
  throw new RollcallError("bad_usage", `${JSON.stringify(from)} does not call these hooks.`, {
    hint: `Valid: ${Object.keys(CALLERS).join(", ")}.`,
  });
}

function print({ isForeign }: Hook, answer: object, output: Output): void {
  if (isForeign) output.text(`${JSON.stringify(answer)}\n`);
  else output.json(answer);
}

/** A hook never breaks the agent that calls it. */
async function answerSafely(hook: Hook, input: JsonObject, output: Output): Promise<object> {
  try {
    const options = { channel: "hook", warn: () => {}, busyTimeoutMs: 2000 } as const;
    return await withRollcall(output, (rollcall) => hook.answer(rollcall, input), options);
  } catch (error) {
    const redactor = createRedactor(secretValues(process.env));
    output.warn(redactor.text(error instanceof Error ? error.message : String(error)));
    return hook.fallback(reasonOf(error), redactor.value(input));
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

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
