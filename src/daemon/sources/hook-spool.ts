import { constants, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import { shortTexts } from "../../domain/short-value.ts";
import { LONGEST_EVENT, OUTSIDE, placeHookScript } from "../../home/hook-script.ts";
import { FolderWatch } from "../../machine/folder-watch.ts";
import { readForeignText } from "../../machine/foreign-file.ts";
import { startTimeOf } from "../../machine/process.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import type { Places } from "../places.ts";
import type { Facts, IntakePort, Logs } from "../session/ports.ts";

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

/** The session that a hook belongs to. */
interface Hooked extends Pick<Facts, "id" | "carrying"> {
  readonly intake: Pick<IntakePort["intake"], "parsed"> & {
    /** A hook was taken in. */
    sawHook(): void;
  };
}

interface Ports extends Logs {
  readonly places: Pick<Places, "home" | "hooks">;
}

/** Takes in what hooks left, oldest first. */
export class HookSpool {
  readonly #services: Ports;
  readonly #find: (marker: string) => Hooked | undefined;
  readonly #takeOutside: TakeOutside;
  readonly #watch: FolderWatch;
  readonly #queue = new SerialQueue();
  #laterTimer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(services: Ports, find: (marker: string) => Hooked | undefined, takeOutside: TakeOutside) {
    this.#services = services;
    this.#find = find;
    this.#takeOutside = takeOutside;
    this.#watch = new FolderWatch(services.places.hooks, {
      retryMs: AGAIN_MS,
      changed: (name) => {
        if (name === null || FILE.test(name)) void this.#take();
      },
      // The system watches only so many folders.
      failed: (error) => services.log.error({ err: error }, "could not watch the hook spool; retrying"),
    });
  }

  async begin(): Promise<void> {
    const { home, hooks } = this.#services.places;
    placeHookScript(home);
    removeAbandoned(hooks);
    this.#watch.begin();
    await this.#take();
  }

  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#laterTimer);
    this.#watch.stop();
  }

  /** A full or locked disk passes. */
  #takeLater(): void {
    clearTimeout(this.#laterTimer);
    if (!this.#hasEnded) this.#laterTimer = setTimeout(() => void this.#take(), AGAIN_MS);
  }

  async #take(): Promise<void> {
    await this.#queue
      .run(async () => this.#takeAll())
      .catch((error: unknown) =>
        this.#services.log.error({ err: error }, "could not record the hooks of the spool"),
      );
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
        this.#services.log.error({ event, err: error }, "could not record a hook");
        this.#takeLater();
      }
    }
  }

  async #takeOne(marker: string, event: string, path: string): Promise<void> {
    const session = this.#find(marker);
    const payload = readPayload(path);
    // A hook of a session that has ended, or of none of ours, can change nothing any more.
    if (!session) return this.#services.log.info({ event }, "a hook came too late");
    if (!payload) return this.#services.log.warn({ event, session: session.id }, UNREADABLE);
    const { hook } = session.carrying.mode.sources;
    if (hook) await session.intake.parsed((memory) => hook.parse(event, payload, memory));
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
    // The beginning of each long text is enough to say what an agent does or asks for.
    return payload && text.length > LARGE_BYTES ? shortTexts(payload, LONGEST_TEXT) : payload;
  } catch {
    return undefined;
  }
}

/** Removes files that nobody writes any more: their hooks were ended while there was no daemon, or belong to sessions outside. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = HALF.exec(name)?.[1];
    if (pid !== undefined && startTimeOf(Number(pid)) === undefined)
      rmSync(join(folder, name), { force: true });
  }
}

/** Removes half-written files of hooks that were ended together with their launch. */
export function removeHalfHooks(folder: string, marker: string): void {
  for (const name of readdirSync(folder))
    if (name.startsWith(`.${marker}.`)) rmSync(join(folder, name), { force: true });
}
