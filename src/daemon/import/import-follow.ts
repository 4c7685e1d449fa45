import type { ImportReport } from "../../history/report.ts";
import { readImportRoots } from "../../home/import-roots.ts";
import { durationOf } from "../../home/settings.ts";
import { configNow } from "../config-now.ts";
import type { Services } from "../services.ts";
import { ImportProcess } from "./import-process.ts";
import type { LookReport } from "./request.ts";

/** Several changes in a row are one look. */
const SOON_MS = 300;
/** Between two looks it rests so many times as long as the last one took. */
const REST_FACTOR = 4;

export interface ImportStatus {
  /** Whether anything is followed: it is on, and there was an import. */
  readonly isFollowing: boolean;
  readonly lastAt: string | null;
  readonly tookMs: number | null;
  /** Histories that the last look found, and those of them that could not be read. */
  readonly found: number | null;
  readonly failed: ImportReport["failed"];
  /** Why the last look did not come to its end. */
  readonly error: string | null;
  /** Since the daemon started. */
  readonly imported: number;
  readonly updated: number;
  /** How many times something of a file was copied, with `archive.originals`. */
  readonly isArchiving: boolean;
  readonly archived: number;
}

/** Goes on with what was imported once: looks again and again for histories that grew or are new. */
export class ImportFollow {
  readonly #services: Services;
  readonly #followed: () => readonly string[];
  readonly #importer: ImportProcess;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isWanted = false;
  #isEnded = false;
  #restsUntilMs = 0;
  #status: Omit<ImportStatus, "isFollowing" | "isArchiving"> = {
    ...{ lastAt: null, tookMs: null, found: null, failed: [], error: null },
    ...{ imported: 0, updated: 0, archived: 0 },
  };

  /** `followed` names paths and native ids of the sessions that the daemon follows by other ways. */
  constructor(services: Services, followed: () => readonly string[]) {
    this.#services = services;
    this.#followed = followed;
    this.#importer = new ImportProcess(services.programs.importer);
  }

  get status(): ImportStatus {
    return { isFollowing: this.#isOn && this.#hasRoots, isArchiving: this.#isArchiving, ...this.#status };
  }

  begin(): void {
    this.#lookIn(0);
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await this.#importer.end();
    await this.#looking;
  }

  /** Whether a history at this path is followed here. */
  covers(agentType: string, path: string): boolean {
    const roots = this.#isOn ? (readImportRoots(this.#services.places.home)[agentType] ?? []) : [];
    return roots.some((root) => path === root || path.startsWith(`${root}/`));
  }

  /** Something changed there. */
  lookSoon(): void {
    this.#isWanted = true;
    if (!this.#looking) this.#lookIn(SOON_MS);
  }

  get #isOn(): boolean {
    return this.#config["import.follow"];
  }

  get #isArchiving(): boolean {
    return this.#config["archive.originals"];
  }

  get #hasRoots(): boolean {
    return Object.keys(readImportRoots(this.#services.places.home)).length > 0;
  }

  get #config() {
    return configNow(this.#services, this.#services.places.home);
  }

  #lookIn(ms: number): void {
    if (this.#isEnded) return;
    clearTimeout(this.#timer);
    const rest = this.#restsUntilMs - performance.now();
    this.#timer = setTimeout(() => this.#begin(), Math.max(ms, rest)).unref();
  }

  #begin(): void {
    this.#isWanted = false;
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined;
      this.#lookIn(this.#isWanted ? SOON_MS : durationOf(this.#config, "import.interval"));
    });
  }

  async #look(): Promise<void> {
    const { home } = this.#services.places;
    const roots = this.#isOn ? readImportRoots(home) : {};
    if (Object.keys(roots).length === 0 && !this.#isArchiving) return;
    const beganMs = performance.now();
    try {
      this.#took(await this.#importer.look({ home, roots, followed: this.#followed() }));
    } catch (error) {
      if (!this.#isEnded) this.#failed(error);
    }
    const tookMs = performance.now() - beganMs;
    this.#restsUntilMs = performance.now() + REST_FACTOR * tookMs;
    this.#status = { ...this.#status, lastAt: new Date().toISOString(), tookMs: Math.round(tookMs) };
  }

  #took({ found, imported, updated, failed, archived = 0 }: LookReport): void {
    const before = this.#status;
    this.#status = {
      ...before,
      ...{ found, failed, error: null },
      imported: before.imported + imported,
      updated: before.updated + updated,
      archived: before.archived + archived,
    };
    const isNews = imported + updated > 0 || failed.length !== before.failed.length;
    if (isNews) this.#services.log.info({ found, imported, updated, archived, failed }, "imported histories");
  }

  #failed(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== this.#status.error)
      this.#services.log.warn({ err: error }, "histories were not imported");
    this.#status = { ...this.#status, error: message };
  }
}
