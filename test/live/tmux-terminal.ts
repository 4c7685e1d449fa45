import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { LAUNCHER } from "../cli/rollcall.ts";
import { type LiveUser, until } from "./user.ts";

/** A person's own tmux, with one window that runs a command of Rollcall and then a shell that says how it left. */
export class TmuxTerminal implements Disposable {
  readonly #socket: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(user: LiveUser, name = "person") {
    const folder = join(user.folder, "tmux");
    mkdirSync(folder, { recursive: true });
    this.#socket = join(folder, name);
    this.#env = user.env;
  }

  /** `rollcall` with these arguments in a window of 100 by 30, as a shell finds it; with options for Node, by Node itself. */
  open(
    args: readonly string[],
    { redirection = "", afterwards = "exec sleep 600", nodeOptions = [] as readonly string[], env = {} } = {},
  ): this {
    const node = nodeOptions.length > 0 ? [process.execPath, ...nodeOptions] : [];
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const command = ["env", ...variables, ...node, LAUNCHER, ...args].map((word) => `'${word}'`).join(" ");
    this.tmux(
      "new-session",
      "-d",
      "-x",
      "100",
      "-y",
      "30",
      `${command} ${redirection}; echo "left with $?"; ${afterwards}`,
    );
    return this;
  }

  type(text: string): void {
    this.tmux("send-keys", "-l", text);
  }

  press(...keys: readonly string[]): void {
    this.tmux("send-keys", ...keys);
  }

  get screen(): string {
    return this.tmux("capture-pane", "-p");
  }

  async shows(text: string): Promise<void> {
    await until(() => this.screen.includes(text), `${JSON.stringify(text)} on the screen:\n${this.screen}`);
  }

  /** What the terminal was left in: 0 and 1 for each of tmux's flags. */
  modes(...flags: readonly string[]): string {
    return this.tmux("display-message", "-p", flags.map((flag) => `#{${flag}}`).join(" ")).trim();
  }

  get panePid(): number {
    return Number(this.tmux("display-message", "-p", "#{pane_pid}"));
  }

  tmux(...args: readonly string[]): string {
    return execFileSync("tmux", ["-S", this.#socket, "-f", "/dev/null", ...args], {
      env: this.#env,
      encoding: "utf8",
    });
  }

  [Symbol.dispose](): void {
    try {
      this.tmux("kill-server");
    } catch {
      // The test has closed it.
    }
  }
}
