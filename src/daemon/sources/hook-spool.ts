import { constants, type FSWatcher, readdirSync, rmSync, watch } from "node:fs";
import { join } from "node:path";
import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import { LONGEST_EVENT, OUTSIDE, placeHookScript } from "../../home/hook-script.ts";
import { readForeignText } from "../../machine/foreign-file.ts";
import { startTimeOf } from "../../machine/process.ts";
import type { Services } from "../services.ts";
import type { LiveSession } from "../session/live-session.ts";

const FILE = new RegExp(`^([0-9a-f]{32}|${OUTSIDE})\\.(\\d+)\\.(\\d+)\\.([\\w-]{1,${LONGEST_EVENT}})$`);
/** Not whole yet, with the pid of who writes it. */
const HALF = new RegExp(`^\\.(?:[0-9a-f]{32}|${OUTSIDE})\\.\\d+\\.(\\d+)\\.`);
/** An agent that writes a large file tells the whole of it; nothing that a state needs is longer than this. */
const MOST_BYTES = 16 * 1024 * 1024;
const LARGE_BYTES = 1024 * 1024;
const LONGEST_TEXT = 64 * 1024;
const AGAIN_MS = 2000;

/** Is told what a hook of a session outside Rollcall reported. What it refuses by throwing is kept for the next time. */
export type TakeOutside = (event: string, payload: JsonObject) => Promise<void>;

/** Takes in what hooks left, oldest first. */
export class HookSpool {
  readonly #services: Services;
  readonly #find: (marker: string) => LiveSession | undefined;
  readonly #takeOutside: TakeOutside;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #laterTimer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  #taking: Promise<void> = Promise.resolve();

  constructor(
    services: Services,
    find: (marker: string) => LiveSession | undefined,
    takeOutside: TakeOutside,
  ) {
    this.#services = services;
    this.#find = find;
    this.#takeOutside = takeOutside;
  }

  async begin(): Promise<void> {
    const { home, hooks } = this.#services.places;
    placeHookScript(home);
    removeAbandoned(hooks);
    this.#watch(hooks);
    await this.#take();
  }

  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#laterTimer);
    this.#watcher?.close();
  }

  #watch(hooks: string): void {
    try {
      this.#watcher = watch(hooks, (_, name) => {
        if (name === null || FILE.test(name)) void this.#take();
      });
      this.#watcher.on("error", (error) => this.#watchLater(hooks, error));
    } catch (error) {
      // The system watches only so many folders.
      this.#watchLater(hooks, error);
    }
  }

  #watchLater(hooks: string, error: unknown): void {
    this.#services.log.error({ err: error }, "hooks are not watched; looking again in a while");
    this.#watcher?.close();
    this.#timer = setTimeout(() => {
      this.#watch(hooks);
      void this.#take();
    }, AGAIN_MS);
  }

  /** A full or locked disk passes. */
  #takeLater(): void {
    clearTimeout(this.#laterTimer);
    if (!this.#hasEnded) this.#laterTimer = setTimeout(() => void this.#take(), AGAIN_MS);
  }

  async #take(): Promise<void> {
    this.#taking = this.#taking
      .then(async () => this.#takeAll())
      .catch((error: unknown) => this.#services.log.error({ err: error }, "hooks could not be taken in"));
    await this.#taking;
  }

  async #takeAll(): Promise<void> {
    const { hooks } = this.#services.places;
    const names = readdirSync(hooks).filter((name) => FILE.test(name));
    names.sort((a, b) => timeOf(a).localeCompare(timeOf(b), "en", { numeric: true }));
    for (const name of names) {
      const path = join(hooks, name);
      const [, marker = "", , , event = ""] = FILE.exec(name) ?? [];
      try {
        await (marker === OUTSIDE ? this.#takeFromOutside(event, path) : this.#takeOne(marker, event, path));
        rmSync(path, { recursive: true, force: true });
      } catch (error) {
        // Kept for the next time; those behind it must not wait for it.
        this.#services.log.error({ event, err: error }, "a hook could not be taken in");
        this.#takeLater();
      }
    }
  }

  async #takeOne(marker: string, event: string, path: string): Promise<void> {
    const session = this.#find(marker);
    const payload = readPayload(path);
    // Of a session that has ended, or of none of ours: it can change nothing any more.
    if (!session) return this.#services.log.info({ event }, "a hook came too late");
    if (!payload) return this.#services.log.warn({ event, session: session.id }, UNREADABLE);
    const parse = session.carrying.agent.observe.hook;
    if (parse) await session.intake.parsed((notes) => parse(event, payload, notes));
    session.intake.sawHook();
  }

  async #takeFromOutside(event: string, path: string): Promise<void> {
    const payload = readPayload(path);
    if (payload) await this.#takeOutside(event, payload);
    else this.#services.log.info({ event }, UNREADABLE);
  }
}

const UNREADABLE = `what a hook told was no JSON, or more than ${MOST_BYTES} bytes`;

function timeOf(name: string): string {
  return name.split(".").slice(1, 3).join(".");
}

function readPayload(path: string): JsonObject | undefined {
  try {
    const text = readForeignText(path, MOST_BYTES, constants.O_NOFOLLOW);
    const payload = text.trim() === "" ? {} : readJsonObject(text);
    return payload && text.length > LARGE_BYTES ? (shortened(payload) as JsonObject) : payload;
  } catch {
    return undefined;
  }
}

/** The beginning of each long text is enough to say what an agent does or asks for. */
function shortened(value: unknown): unknown {
  if (typeof value === "string")
    return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value;
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortened(each)]));
}

/** What nobody writes any more: of hooks that were ended while there was no daemon, or of sessions outside. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = HALF.exec(name)?.[1];
    if (pid !== undefined && startTimeOf(Number(pid)) === undefined)
      rmSync(join(folder, name), { force: true });
  }
}

/** What hooks of a launch were about to write when they were ended with it: nobody gives these a name any more. */
export function removeHalfHooks(folder: string, marker: string): void {
  for (const name of readdirSync(folder))
    if (name.startsWith(`.${marker}.`)) rmSync(join(folder, name), { force: true });
}
