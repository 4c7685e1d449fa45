import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Lab } from "./lab.ts";
import type { ProgramName } from "./programs.ts";

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly update?: { readonly sessionUpdate?: string; readonly content?: { text: string } };
  };
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** A program that is spoken to over the Agent Client Protocol without Rollcall. */
export interface ByHand extends AsyncDisposable {
  /** All that it has said. */
  readonly said: readonly Message[];
  /** Resolves with its answer. */
  ask(method: string, params: object): Promise<Message>;
  /** Whether its process is there. */
  isThere(): boolean;
  /** Ends its input; resolves with its exit code. */
  endInput(): Promise<number | null>;
}

const COMMANDS: Readonly<Record<ProgramName, readonly [string, ...string[]]>> = {
  claude: ["claude-agent-acp"],
  codex: ["codex-acp"],
  gemini: ["gemini", "--acp"],
  opencode: ["opencode", "acp"],
};

export function speakByHand({ env, place, program }: Lab): ByHand {
  const [command, ...args] = COMMANDS[program.name];
  const child = spawn(command, args, {
    cwd: place.project,
    env,
    stdio: ["pipe", "pipe", "ignore"],
    // A group of its own: the adapter of Claude leaves before its program does.
    detached: true,
  });
  const over = once(child, "exit");
  const said: Message[] = [];
  const answers = new Map<unknown, (message: Message) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as Message;
    said.push(message);
    if (message.method === undefined) answers.get(message.id)?.(message);
  });
  const endInput = async () => {
    child.stdin.end();
    return (await over)[0] as number | null;
  };
  return {
    said,
    ask: async (method, params) => {
      const id = answers.size;
      const { promise, resolve } = Promise.withResolvers<Message>();
      answers.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return promise;
    },
    isThere: () => child.exitCode === null && child.signalCode === null,
    endInput,
    [Symbol.asyncDispose]: async () => {
      await endInput();
      killGroup(child.pid as number);
    },
  };
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
