import {
  chmodSync,
  type FSWatcher,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../domain/json.ts";
import type { LiveSession } from "./live-session.ts";
import type { Services } from "./services.ts";

const LONGEST_EVENT = 64;

/**
 * What a hook of a running agent calls: `hook.sh EVENT < JSON`. It leaves a file and is gone; none is lost while the
 * daemon is down, and nothing that goes wrong here can stop the agent.
 */
const SCRIPT = `#!/bin/sh
# Hands an event of an agent to Rollcall. Never fails, and reads all it is given: the agent must not notice.
[ -t 0 ] && exec </dev/null
leave() { cat >/dev/null 2>&1; exit 0; }
event=\${1:-event}
case $event in *[!A-Za-z0-9_-]*) leave ;; esac
[ \${#event} -le ${LONGEST_EVENT} ] || leave
case $ROLLCALL_SESSION in *[!0-9a-f]*) leave ;; esac
[ \${#ROLLCALL_SESSION} -eq 32 ] && [ -d "$ROLLCALL_HOOKS" ] || leave
umask 077
now=$(date +%s%N 2>/dev/null)
case $now in '' | *[!0-9]*) now=$(date +%s 2>/dev/null)000000000 ;; esac
name=$ROLLCALL_SESSION.$now.$$.$event
{ cat >"$ROLLCALL_HOOKS/.$name" && mv "$ROLLCALL_HOOKS/.$name" "$ROLLCALL_HOOKS/$name"; } 2>/dev/null && exit 0
rm -f "$ROLLCALL_HOOKS/.$name" 2>/dev/null
leave
`;

const FILE = new RegExp(`^([0-9a-f]{32})\\.(\\d+)\\.(\\d+)\\.([\\w-]{1,${LONGEST_EVENT}})$`);
const MOST_BYTES = 1024 * 1024;
const AGAIN_MS = 2000;

/** Takes in what hooks left, oldest first. */
export class HookSpool {
  readonly #services: Services;
  readonly #find: (marker: string) => LiveSession | undefined;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #taking: Promise<void> = Promise.resolve();

  constructor(services: Services, find: (marker: string) => LiveSession | undefined) {
    this.#services = services;
    this.#find = find;
  }

  async begin(): Promise<void> {
    const { hooks, hookScript } = this.#services.places;
    // By rename: a shell may be in the middle of reading the one that is there.
    const partial = `${hookScript}.partial`;
    writeFileSync(partial, SCRIPT);
    chmodSync(partial, 0o700);
    renameSync(partial, hookScript);
    this.#watch(hooks);
    await this.#take();
  }

  end(): void {
    clearTimeout(this.#timer);
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
        await this.#takeOne(marker, event, path);
        rmSync(path, { recursive: true, force: true });
      } catch (error) {
        // Kept for the next time; those behind it must not wait for it.
        this.#services.log.error({ event, err: error }, "a hook could not be taken in");
      }
    }
  }

  async #takeOne(marker: string, event: string, path: string): Promise<void> {
    const session = this.#find(marker);
    const payload = readPayload(path);
    // Of a session that has ended, or of none of ours: it can change nothing any more.
    if (!session || !payload)
      return this.#services.log.info({ event }, "a hook came too late, or was no JSON");
    const parse = session.carrying.agent.observe.hook;
    if (parse) await session.findings.parsed((notes) => parse(event, payload, notes));
    session.findings.sawHook();
  }
}

function timeOf(name: string): string {
  return name.split(".").slice(1, 3).join(".");
}

function readPayload(path: string): JsonObject | undefined {
  try {
    const found = lstatSync(path);
    if (!found.isFile() || found.size > MOST_BYTES) return undefined;
    const text = readFileSync(path, "utf8");
    const parsed: unknown = text.trim() === "" ? {} : JSON.parse(text);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
