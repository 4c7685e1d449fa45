import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { homeFolder } from "../home/layout.ts";
import { loadConfig } from "../home/settings.ts";
import { ScreenCache } from "../host/screen-cache.ts";
import { startTimeOf } from "../machine/process.ts";
import { SerialQueue } from "../machine/serial-queue.ts";
import { takeLock } from "../record/lock.ts";
import { openForDaemon } from "../record/open.ts";
import type { Rollcall } from "../record/rollcall.ts";
import { findAsker } from "./asker.ts";
import { configNow } from "./config-now.ts";
import { Daemon } from "./daemon.ts";
import { EventHub } from "./feed/event-hub.ts";
import { Observations } from "./feed/observations.ts";
import { handlersOf } from "./handlers.ts";
import { OutputSlices } from "./intake/output-slices.ts";
import { openLog } from "./log.ts";
import { makePlaces, type Places, placesOf } from "./places.ts";
import { Pricing } from "./pricing.ts";
import { Retention } from "./samples/retention.ts";
import { SampleRetention } from "./samples/sample-retention.ts";
import { Sampler } from "./samples/sampler.ts";
import type { Programs, Services } from "./services.ts";
import { Leftovers } from "./session/leftovers.ts";
import { TreeWatch } from "./session/tree-watch.ts";
import { openSocketServer } from "./socket/socket-server.ts";

export interface DaemonOptions {
  readonly programs: Programs;
  readonly version: string;
  /** Is told one line: `ready`, `running PID` where another daemon is, or what went wrong. */
  readonly tell: (line: string) => void;
}

/** Runs the daemon of the state folder until it is told to stop. Resolves with the exit code. */
export async function runDaemon(options: DaemonOptions): Promise<number> {
  const places = placesOf(homeFolder());
  try {
    makePlaces(places);
    closeSync(openSync(places.lock, "a", 0o600));
    using lock = takeLock(places.lock);
    if (!lock) {
      options.tell(`running ${await ownerOf(places)}`.trimEnd());
      return 3;
    }
    const log = openLog(places.log);
    writePid(places.pid, log);
    const isInPlace = placeHeld(places.lock);
    try {
      return await serve(options, places, log, isInPlace);
    } finally {
      if (isInPlace()) rmSync(places.pid, { force: true });
    }
  } catch (error) {
    options.tell(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

/** For people alone: where there is no room for it, agents can still be ended. */
function writePid(path: string, log: Logger): void {
  try {
    writeFileSync(path, String(process.pid), { mode: 0o600 });
  } catch (error) {
    log.warn({ err: error }, "the pid could not be written");
  }
}

/** As long as a command waits for another writer. */
const LOCK_PATIENCE_MS = 5000;
const NAMED_MS = 1000;
const PLACE_MS = 5000;
const STEP_MS = 20;

/** For people: which daemon has the lock. It writes its pid a moment later; until then there may be one of a dead daemon. */
async function ownerOf(places: Places): Promise<string> {
  for (let waitedMs = 0; waitedMs < NAMED_MS; waitedMs += STEP_MS) {
    const pid = pidIn(places.pid);
    if (startTimeOf(pid) !== undefined) return String(pid);
    await sleep(STEP_MS);
  }
  return "";
}

function pidIn(path: string): number {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch {
    return Number.NaN;
  }
}

/** Removing the runtime folder takes the lock away with it: another daemon can then be in the place of this one. */
function placeHeld(lock: string): () => boolean {
  const { ino } = statSync(lock);
  return () => (statSync(lock, { throwIfNoEntry: false })?.ino ?? ino) === ino;
}

async function serve(
  { programs, version, tell }: DaemonOptions,
  places: Places,
  log: Logger,
  isInPlace: () => boolean,
): Promise<number> {
  const warn = (sentence: string) => log.warn(sentence);
  const { home } = places;
  const lockPatienceMs = LOCK_PATIENCE_MS;
  await using rollcall = openForDaemon({ home, cwd: home, channel: "api", warn, lockPatienceMs });
  const services = servicesOf(rollcall, { programs, version, places, log });
  process.on("unhandledRejection", (error) => log.error({ err: error }, "unhandled rejection"));
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "the daemon has to leave; agents run on");
    process.exit(1);
  });
  const daemon = new Daemon(services);
  const stopped = Promise.withResolvers<string>();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(signal, () => stopped.resolve(signal));
  setInterval(() => {
    if (!isInPlace()) stopped.resolve("another daemon has its place");
    else if (!existsSync(home)) stopped.resolve("its state folder is gone");
  }, PLACE_MS).unref();
  await daemon.comeBack();
  const handlers = handlersOf(daemon, () => stopped.resolve("asked"));
  const server = await openSocketServer({
    socket: places.socket,
    version,
    handlers,
    redact: rollcall.context.redact,
    log,
    findAsker: (pid) => findAsker(home, pid),
  });
  using _thinning = new SampleRetention(rollcall.context, log);
  using _retention = new Retention(rollcall.context, () => loadConfig(home, undefined).config, log);
  log.info({ version, live: daemon.all.length }, "ready");
  tell("ready");
  const why = await stopped.promise;
  log.info({ why, live: daemon.all.length }, "stopping");
  // New callers find no daemon from now on; those inside are answered first.
  if (isInPlace()) rmSync(places.socket, { force: true });
  await daemon.letGo();
  await server[Symbol.asyncDispose]();
  log.info("stopped");
  return 0;
}

function servicesOf(
  rollcall: Rollcall,
  { programs, version, places, log }: Pick<Services, "programs" | "version" | "places" | "log">,
): Services {
  const { home } = places;
  const { store, redact } = rollcall.context;
  const hub = new EventHub();
  const observations = new Observations({ store, redact, publish: (observed) => hub.observe(observed) });
  const config = () => configNow({ places, context: rollcall.context, log }, home);
  return {
    rollcall,
    context: rollcall.context,
    places,
    log,
    hub,
    observations,
    screens: new ScreenCache(),
    snapshots: new SerialQueue(),
    leftovers: new Leftovers(programs.holder),
    trees: new TreeWatch(),
    sampler: new Sampler({ context: rollcall.context, observations, log, config }),
    slices: new OutputSlices(),
    pricing: new Pricing({ home, log }),
    programs,
    version,
  };
}
