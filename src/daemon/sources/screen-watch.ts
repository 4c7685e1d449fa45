import { matchScreen, type ScreenRule } from "../../domain/screen/screen-rules.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import type { State } from "../../domain/session/state.ts";
import { AT_PROMPT, type Signal } from "../../domain/supervise/signal.ts";
import { timerMs } from "../../domain/time.ts";
import { durationOf } from "../../home/settings.ts";
import { hostOf } from "../../host/host.ts";
import type { Screen } from "../../host/screen.ts";
import type { ScreenCache } from "../../host/screen-cache.ts";
import type { Facts, HolderPort, IntakePort, Logs, Settings } from "../session/ports.ts";
import type { Source } from "./source.ts";

const SOON_MS = 150;
const SILENT: readonly State[] = ["starting", "resuming", "unknown"];

interface Ports extends Facts, Logs, Settings, HolderPort, IntakePort {
  readonly screens: Pick<ScreenCache, "screenOf">;
}

/** Looks at the screen for what its agent says nowhere else, after it changed and again when it rests. */
export class ScreenWatch implements Source {
  readonly #session: Ports;
  readonly #own: readonly ScreenRule[];
  readonly #agents: readonly ScreenRule[];
  #soon: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #changedMs = 0;
  #row: SessionRow | undefined;

  constructor(session: Ports) {
    const { mode, launch } = session.carrying;
    this.#session = session;
    this.#own = launch.waitPattern === null ? [] : [waitRule(launch.waitPattern)];
    this.#agents = hostOf(launch.host).hasScreen ? (mode.sources.screen?.rules ?? []) : [];
  }

  begin(row: SessionRow): void {
    this.follow(row);
  }

  /** The screen is read when someone asks for it. */
  async catchUp(): Promise<void> {}

  /** After each change. */
  follow(row: SessionRow): void {
    const wasTelling = this.#isTelling;
    this.#row = row;
    // Its dialog may have been drawn before it was known that it asks.
    if (!wasTelling && this.#isTelling) this.changed();
  }

  /** Cheap: where no rule can hold, nothing is looked at. */
  changed(): void {
    if (this.#rules.length === 0 && !this.#isTelling) return;
    this.#changedMs = performance.now();
    this.#soon ??= setTimeout(() => void this.#look(false), SOON_MS);
    if (this.#quiet === undefined) this.#awaitQuiet(durationOf(this.#session.config, "screen.quiet"));
  }

  #awaitQuiet(quietMs: number): void {
    const leftMs = Math.max(0, this.#changedMs + quietMs - performance.now());
    const wake = () => {
      this.#quiet = undefined;
      if (performance.now() < this.#changedMs + quietMs) this.#awaitQuiet(quietMs);
      else void this.#look(true);
    };
    this.#quiet = setTimeout(wake, timerMs(Math.ceil(leftMs)));
  }

  /** An agent's rules are for what it says nowhere else: the dialogs before its first prompt. */
  get #rules(): readonly ScreenRule[] {
    const isBeforePrompt = this.#row === undefined || SILENT.includes(this.#row.state) || this.#isInDialog;
    return isBeforePrompt ? [...this.#own, ...this.#agents] : this.#own;
  }

  get #isInDialog(): boolean {
    return this.#row?.state === "waiting_input" && this.#row.stateSource === "screen" && !this.#isAsking;
  }

  get #isAsking(): boolean {
    const what = this.#row?.waiting?.for;
    return what === "permission" || what === "question";
  }

  /** Whether the screen tells something that its agent says nowhere else. */
  get #isTelling(): boolean {
    const { carrying, intake } = this.#session;
    return carrying.mode.sources.screen?.shown !== undefined && (this.#isAsking || intake.isAwaited);
  }

  stop(): void {
    clearTimeout(this.#soon);
    clearTimeout(this.#quiet);
  }

  /** The screen as it is; undefined where there is no terminal, or no holder to ask. */
  async now(): Promise<Screen | undefined> {
    const { carrying, screens, folder, holder } = this.#session;
    if (!hostOf(carrying.launch.host).hasScreen) return undefined;
    const status = await holder.status();
    if (!status) return undefined;
    return screens.screenOf(folder, { cols: status.cols, rows: status.rows });
  }

  async modes(): Promise<{ readonly bracketedPaste: boolean }> {
    return { bracketedPaste: (await this.now())?.bracketedPaste ?? false };
  }

  /** Matches the rules against the screen as it is now, for `explain`. */
  async match(): Promise<ReturnType<typeof matchScreen>> {
    const screen = await this.now();
    return screen && matchScreen(this.#rules, screen.text());
  }

  async #look(isQuiet: boolean): Promise<void> {
    this.#soon = undefined;
    try {
      const screen = await this.now();
      if (!screen) return;
      await this.#tellShown(screen);
      const rules = this.#rules.filter(({ quiet }) => isQuiet || !quiet);
      const found = matchScreen(rules, screen.text());
      const signal = found ? signalOf(found.rule, found.excerpt) : this.#nothing();
      if (signal) await this.#session.intake.signal(signal);
    } catch (error) {
      this.#session.log.warn({ session: this.#session.id, err: error }, "could not read the screen");
    }
  }

  async #tellShown(screen: Screen): Promise<void> {
    if (!this.#isTelling) return;
    const { carrying, intake } = this.#session;
    await intake.parsed((memory) => carrying.mode.sources.screen?.shown?.(screen.text(), memory) ?? {});
  }

  /** A plain command that waited and shows its pattern no more goes on, and so does who was in a first dialog. */
  #nothing(): Signal | undefined {
    if (this.#agents.length > 0 && this.#isInDialog)
      return { says: "loading", source: "screen", rule: "dialog_gone", excerpt: null };
    if (this.#session.carrying.launch.waitPattern === null) return undefined;
    return { says: "working", source: "screen", rule: "wait_pattern_gone", excerpt: null };
  }
}

function waitRule(pattern: string): ScreenRule {
  return { name: "wait_pattern", says: "waiting", for: "prompt", pattern, lastLines: 5, quiet: true };
}

function signalOf(rule: ScreenRule, excerpt: string): Signal {
  const evidence = { source: "screen", rule: rule.name, excerpt, fillsGap: true } as const;
  if (rule.says === "working") return { ...evidence, says: "working" };
  if (rule.says === "ready" || rule.for === undefined || rule.for === "prompt")
    return { ...evidence, says: "ready" };
  const { for: what, options = null } = rule;
  return { ...evidence, says: "asking", asked: { ...AT_PROMPT, for: what, question: excerpt, options } };
}
