// Shared by the tests of the program in a terminal.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import xterm from "@xterm/headless";
import { matchScreen } from "../../../domain/screen/screen-rules.ts";
import type { Waiting } from "../../../domain/session/session.ts";
import type { Signal } from "../../../domain/supervise/signal.ts";
import { startSession, type TestConnection, type TestSession, until } from "../../../host/holder-bench.ts";
import { TARGET } from "../../../testing/agents/target.ts";
import type { Deed } from "../../deed.ts";
import { interactive } from "../interactive/mode.ts";

const PROGRAM = join(import.meta.dirname, "main.ts");
const { controls, sources } = interactive;

/** The program in a real terminal, understood by its adapter. */
export class TerminalAgent implements AsyncDisposable {
  readonly session: TestSession;
  readonly client: TestConnection;

  constructor(session: TestSession, client: TestConnection) {
    this.session = session;
    this.client = client;
  }

  static async start(args: readonly string[] = [], home?: string): Promise<TerminalAgent> {
    const dir = mkdtempSync(join(tmpdir(), "rh-"));
    const env = { SCRIPTED_AGENT_HOME: home ?? join(dir, "agent") };
    const session = await startSession([process.execPath, PROGRAM, ...args], {
      host: "pty",
      dir,
      env,
      graceMs: 0,
    });
    return new TerminalAgent(session, await session.connect({ role: "control", from: 0 }));
  }

  signals(): Signal[] {
    const parsed = this.client.messages.flatMap((m) =>
      m.type === "report" ? [sources.terminal?.report?.(m.fields, {})] : [],
    );
    return parsed.flatMap((one) => one?.signal ?? []);
  }

  story(): string[] {
    return this.signals().map((signal) => {
      if (signal.says === "asking") return `asking ${signal.asked.for}`;
      return signal.says === "ready" && signal.turn ? `ready ${signal.turn}` : signal.says;
    });
  }

  /** Waits until it says this for the so-manieth time. */
  async reaches(what: string, count = 1): Promise<void> {
    const times = () => this.story().filter((said) => said === what).length;
    await until(() => times() >= count || undefined, `${what}, after ${this.story()}`);
  }

  async asked(): Promise<Waiting> {
    await until(() => this.signals().at(-1)?.says === "asking" || undefined, "a request");
    const signal = this.signals().at(-1) as Extract<Signal, { says: "asking" }>;
    return { ...signal.asked, since: "2026-11-16T01:50:15.182Z" };
  }

  type(text: string): void {
    this.client.holder.input(text);
  }

  say(text: string): void {
    this.type(bytesOf(controls.say(TARGET, text)));
  }

  /** Presses the keys of a deed once its dialog is on the screen. */
  async press(deed: Deed | undefined): Promise<void> {
    const pattern = deed?.via === "keys" ? deed.onScreen : undefined;
    const rule = { name: "dialog", says: "waiting", pattern: pattern ?? "never" } as const;
    await this.shows((screen) => matchScreen([rule], screen) !== undefined);
    this.type(bytesOf(deed));
  }

  async screen(): Promise<string> {
    const terminal = new xterm.Terminal({ cols: 120, rows: 40, allowProposedApi: true });
    await new Promise<void>((resolve) => terminal.write(this.session.spooled(), resolve));
    const { active } = terminal.buffer;
    const rows = Array.from({ length: 40 }, (_, row) =>
      active.getLine(active.baseY + row)?.translateToString(true),
    );
    return rows.join("\n").trimEnd();
  }

  async shows(test: (screen: string) => boolean): Promise<string> {
    for (let tries = 0; ; tries++) {
      const screen = await this.screen();
      if (test(screen)) return screen;
      if (tries > 500) throw new Error(`Not seen on:\n${screen}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async exit(): Promise<{ code: number | null; signal: string | null }> {
    const { code, signal } = (await this.session.ended()).agent;
    return { code, signal };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
    await this.session[Symbol.asyncDispose]();
  }
}

/** The keys of a deed that is one press. */
export function bytesOf(deed: Deed | undefined): string {
  if (deed?.via !== "keys") throw new Error("There are no keys.");
  return deed.bytes;
}
