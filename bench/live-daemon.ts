import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Client, connectDaemon } from "../src/client/client.ts";
import { LAUNCHER } from "./cli.ts";
import { memoryEnv } from "./memory.ts";
import { childEnv, type Scratch } from "./scratch.ts";

const execute = promisify(execFile);
const root = join(import.meta.dirname, "..");

/** A daemon of its own for one group of figures; everything that it carries is ended with it. */
export class LiveDaemon implements AsyncDisposable {
  readonly home: string;
  readonly client: Client;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(home: string, client: Client, env: NodeJS.ProcessEnv) {
    this.home = home;
    this.client = client;
    this.#env = env;
  }

  static async open(scratch: Scratch): Promise<LiveDaemon> {
    const home = scratch.folder();
    const env = childEnv({ ROLLCALL_HOME: home });
    execFileSync(process.execPath, [LAUNCHER, "up"], {
      env: { ...env, ...memoryEnv(home) },
      stdio: "ignore",
    });
    const client = await connectDaemon(join(home, "run"));
    if (!client) throw new Error("The daemon was started and does not answer.");
    return new LiveDaemon(home, client, env);
  }

  get pid(): number {
    return this.client.greeting.pid;
  }

  async start(
    agentType: "unknown" | "scripted",
    args: readonly string[],
    kind = "interactive",
  ): Promise<string> {
    const env = { PATH: process.env.PATH ?? "", HOME: this.home };
    const input = { agentType, args, kind, cwd: this.home, env, file: false };
    return (await this.client.call<{ id: string }>("start_session", input)).id;
  }

  async waitFor(id: string, ...until: readonly string[]): Promise<void> {
    await this.client.call("wait_for_session", { sessionIds: [id], until, timeoutMs: 60_000 });
  }

  async end(id: string, graceMs = 10_000): Promise<{ readonly session: { readonly state: string } }> {
    return this.client.call("end_session", { sessionId: id, graceMs });
  }

  /** The command line, as a person or a script uses it. */
  async command(...args: readonly string[]): Promise<string> {
    const { stdout } = await execute(process.execPath, [LAUNCHER, ...args], {
      cwd: this.home,
      env: this.#env,
    });
    return stdout;
  }

  /** The socket of the holder of the only session. */
  async holderSocket(id: string): Promise<string> {
    const text = await this.command("events", id, "--json");
    const created = JSON.parse(text.split("\n")[0] as string) as { body: { launch: { marker: string } } };
    return join(this.home, "run", "sessions", created.body.launch.marker, "socket");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client[Symbol.dispose]();
    spawnSync(process.execPath, [LAUNCHER, "down", "--end-all", "--grace", "1s"], {
      env: this.#env,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
}

/** The programs that the holder's tests run as agents, built where this run keeps its files. */
export function buildPrograms(scratch: Scratch): string {
  const folder = join(scratch.folder(), "programs");
  mkdirSync(folder);
  execFileSync(join(root, "native", "test", "build.sh"), [folder]);
  return folder;
}

/** Why live sessions cannot be measured; undefined where they can. */
export function liveMissing(): string | undefined {
  const isBuilt = existsSync(join(root, "dist", "native", "rollcall-holder"));
  return isBuilt ? undefined : "the holder is not built (npm run build, with a C compiler)";
}

/** Processor time in milliseconds: of a process itself, and with the children that it has waited for. */
export function cpuMs(pid: number): {
  readonly own: number;
  readonly withChildren: number;
  readonly childFaults: number;
} {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  const TICK_MS = 10;
  const own = (user + system) * TICK_MS;
  return { own, withChildren: own + (childUser + childSystem) * TICK_MS, childFaults: fields[8] ?? 0 };
}
