import { RollcallError } from "../../domain/errors.ts";
import type { LaunchPlan, LaunchRequest } from "../launch.ts";
import { database, databaseRoots } from "./history/database.ts";
import type { OpencodeMemory } from "./memory.ts";

const USER = "opencode";

/** Options that would choose another conversation, another server, or another place. */
const REFUSED: Readonly<Record<string, string>> = {
  "--port": "Rollcall chooses a port of its own.",
  "--hostname": "Its server is for this machine alone.",
  "--mdns": "Its server is for this machine alone.",
  "--cors": "No page may ask its server.",
  "--prompt": "Give the first text with --prompt before the `--`.",
  "-s": "A conversation is taken up by `rollcall resume`.",
  "--session": "A conversation is taken up by `rollcall resume`.",
  "-c": "A conversation is taken up by `rollcall resume`.",
  "--continue": "A conversation is taken up by `rollcall resume`.",
  "--fork": "A conversation is forked by `rollcall fork`.",
};

/** The plan that both modes share: the password goes by the environment, which is for the eyes of its user alone. */
export function planServer(request: LaunchRequest, command: readonly string[]): LaunchPlan {
  const { server, args, continues } = request;
  if (server === null) throw new Error("A mode that reads events is launched with a server.");
  checkArguments(args);
  const { port, password } = server;
  return {
    command: [...command, "--hostname", "127.0.0.1", "--port", String(port), ...args],
    env: {
      OPENCODE_SERVER_USERNAME: USER,
      OPENCODE_SERVER_PASSWORD: password,
      // Its title shows that the terminal is up.
      OPENCODE_DISABLE_TERMINAL_TITLE: "false",
    },
    nativeId: continues?.how === "resume" ? continues.nativeId : null,
    transcript: null,
    ...databasesOf(request),
    server: { port, user: USER, password },
  };
}

/** The parsers' first memory: the conversation, and the model that is asked for each text. */
export function memoryOf(request: LaunchRequest): OpencodeMemory {
  const { continues, model, args } = request;
  const agent = optionIn("--agent", args);
  return {
    ...(databasesOf(request).databases === undefined ? { hasNoDatabase: true } : {}),
    ...(continues?.how === "resume" ? { native: continues.nativeId } : {}),
    ...(continues?.how === "fork" ? { forkOf: continues.nativeId } : {}),
    ...(model === null ? {} : { model }),
    ...(agent === undefined ? {} : { agent }),
  };
}

function databasesOf({ env }: LaunchRequest): Pick<LaunchPlan, "databases" | "makes"> {
  const [databases] = env.OPENCODE_DB === ":memory:" ? [] : databaseRoots(env);
  if (databases === undefined) return {};
  // One that its user has named is a file, and theirs to prepare.
  return env.OPENCODE_DB
    ? { databases }
    : { databases, makes: { folder: databases, name: database.files.source } };
}

function optionIn(option: string, args: readonly string[]): string | undefined {
  const inOne = args.find((arg) => arg.startsWith(`${option}=`));
  if (inOne !== undefined) return inOne.slice(option.length + 1);
  const at = args.indexOf(option);
  return at < 0 ? undefined : args[at + 1];
}

function checkArguments(args: readonly string[]): void {
  for (const arg of args) {
    const option = arg.replace(/=.*$/su, "");
    if (Object.hasOwn(REFUSED, option))
      throw new RollcallError("bad_usage", `OpenCode cannot be given ${option} here.`, {
        hint: REFUSED[option] ?? "",
      });
  }
}
