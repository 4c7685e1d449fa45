import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { FeedEvent } from "../../domain/session/event.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import { isNews, newState } from "../../domain/supervise/news.ts";
import { toWire } from "../../domain/wire.ts";
import { type Config, loadConfig } from "../../home/settings.ts";
import type { Services } from "../services.ts";
import type { EventHub } from "./event-hub.ts";
import { runBeside } from "./run-beside.ts";

const LONGEST_MS = 10_000;
/** So many at once; a fleet that ends together must not become as many processes. */
const MOST_AT_ONCE = 4;
const MOST_WAITING = 200;
const LONGEST_SENTENCE = 300;

/** Tells a person when a session begins to wait or ends, once for each time. Whatever it runs, nobody waits for it. */
export class Notifier {
  readonly #services: Services;
  readonly #hub: EventHub;
  readonly #stop = new AbortController();
  readonly #waiting: FeedEvent[] = [];
  /** The request or prompt that was told last of each session. */
  readonly #told = new Map<string, string>();
  readonly #running = new Set<Promise<void>>();
  #listening: Disposable | undefined;

  constructor(services: Services, hub: EventHub) {
    this.#services = services;
    this.#hub = hub;
  }

  begin(): void {
    this.#listening = this.#hub.listen((event) => {
      if (event.body.kind === "deleted") this.#told.delete(event.sessionId);
      if (newState(event.body) === undefined || this.#waiting.length >= MOST_WAITING) return;
      this.#waiting.push(event);
      this.#next();
    });
  }

  async end(): Promise<void> {
    this.#listening?.[Symbol.dispose]();
    this.#waiting.length = 0;
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  #next(): void {
    if (this.#running.size >= MOST_AT_ONCE) return;
    const event = this.#waiting.shift();
    if (!event) return;
    const telling = this.#tell(event)
      .catch((error: unknown) => this.#services.log.warn({ err: error }, "a notification failed"))
      .finally(() => {
        this.#running.delete(telling);
        this.#next();
      });
    this.#running.add(telling);
  }

  async #tell(event: FeedEvent): Promise<void> {
    const session = await this.#services.rollcall.find(event.sessionId);
    if (!session || !isNews(event, session) || this.#wasTold(session)) return;
    // A person who has it in front of them sees it wait.
    if (session.waiting && session.attached === true) return;
    const { context, log } = this.#services;
    const sentence = sentenceOf(session);
    const env = { ...context.env, ROLLCALL_NOTIFY: sentence };
    const input = `${JSON.stringify(toWire(context.redact(session)))}\n`;
    for (const command of commandsFor(this.#config(), context.env, sentence)) {
      const problem = await runBeside(command, {
        input,
        env,
        timeoutMs: LONGEST_MS,
        signal: this.#stop.signal,
      });
      if (problem) log.warn({ session: session.id, program: command[0], problem }, "a notification failed");
    }
  }

  /** Events may come faster than they are told: two of them then find the session as the second left it. */
  #wasTold({ id, waiting }: SessionRecord): boolean {
    const before = this.#told.get(id);
    if (waiting === null) {
      this.#told.delete(id);
      return false;
    }
    const now = waiting.requestId ?? waiting.since;
    this.#told.set(id, now);
    return before === now;
  }

  /** As it is now: a setting counts from the next notification on. */
  #config(): Config {
    const { context, log } = this.#services;
    try {
      return loadConfig(context.home, undefined).config;
    } catch (error) {
      log.warn({ err: error }, "the configuration cannot be read; notifications go on as before");
      return context.config;
    }
  }
}

function commandsFor(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  sentence: string,
): (readonly [string, ...string[]])[] {
  const command = config["notify.command"];
  const notifySend = config["notify.desktop"] ? findNotifySend(env) : undefined;
  return [
    ...(command === "" ? [] : [["/bin/sh", "-c", command] as const]),
    // The sentence is the title, because the text below one may be read as markup.
    ...(notifySend === undefined ? [] : [[notifySend, "--app-name=rollcall", "--", sentence] as const]),
  ];
}

export function sentenceOf({ name, id, state, waiting, outcome }: SessionRecord): string {
  const who = name ?? id;
  const what = waiting
    ? `waits: ${waiting.question ?? waiting.tool ?? waiting.for}`
    : `is ${state}${outcome === null ? "" : ` (${outcome})`}`;
  const sentence = `${who} ${what}`.replace(/\p{Cc}+/gu, " ");
  return sentence.length > LONGEST_SENTENCE ? `${sentence.slice(0, LONGEST_SENTENCE)}…` : sentence;
}

/** Finds `notify-send` where there is a desktop to show it on. */
function findNotifySend(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return undefined;
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder.startsWith("/"));
  return folders.map((folder) => join(folder, "notify-send")).find(canRun);
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
