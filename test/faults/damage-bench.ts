import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Driver } from "./driver.ts";
import type { Place } from "./place.ts";
import { report } from "./scale.ts";
import { type Dump, dump } from "./workers/dump.ts";

/** What one damage came to. Only the last four are faults of ours. */
export type Finding =
  | { readonly is: "detected"; readonly by: string }
  | { readonly is: "harmless" }
  | { readonly is: "undetected"; readonly columns: readonly string[] }
  | { readonly is: "uncoded"; readonly message: string }
  | { readonly is: "crash"; readonly message: string }
  | { readonly is: "replaced"; readonly message: string };

/**
 * Derived from the rest, or observations that nobody was promised: a wrong word in the search index is a hit that is
 * missed, and it stands in no record.
 */
const NOT_THE_RECORD = /^(?:(?:search_\w+|samples|sample_sums|thinned|delegations)\.|sessions\.observed$)/;

/** Opens, reads and verifies damaged copies in a process of its own, a new one after each crash. */
export class DamageBench implements AsyncDisposable {
  readonly #place: Place;
  readonly #sound: Dump;
  #driver: Driver;

  constructor(place: Place, sound: Buffer) {
    this.#place = place;
    this.#sound = dump(sound) as Dump;
    this.#driver = new Driver({ env: place.env });
  }

  async look(damaged: Buffer): Promise<Finding> {
    const path = join(this.#place.path("damaged"), "rollcall.db");
    rmSync(dirname(path), { recursive: true, force: true });
    mkdirSync(dirname(path), { mode: 0o700 });
    writeFileSync(path, damaged, { mode: 0o600 });
    const { ino } = statSync(path);
    const finding = await this.#use(dirname(path)).catch(async (error: Error): Promise<Finding> => {
      await this.#driver[Symbol.asyncDispose]();
      this.#driver = new Driver({ env: this.#place.env });
      return { is: "crash", message: error.message };
    });
    const after = statSync(path, { throwIfNoEntry: false });
    if (after?.ino !== ino || after.size === 0) return { is: "replaced", message: `size ${after?.size}` };
    return finding.is === "harmless" ? this.#compare(damaged) : finding;
  }

  /** Harmless until the content of the tables says otherwise. */
  async #use(home: string): Promise<Finding> {
    for (const step of ["open", "verify", "readAll"] as const) {
      const answer =
        step === "open" ? await this.#driver.ask(step, home, this.#place.root) : await this.#driver.ask(step);
      if (!("error" in answer)) {
        const problems =
          (answer.value as { problems?: readonly { problem: string }[] } | null)?.problems ?? [];
        const [first] = problems;
        if (first) return this.#close({ is: "detected", by: `verify: ${first.problem}` });
        continue;
      }
      const { code, message } = answer.error;
      if (code === null) return this.#close({ is: "uncoded", message: `${step}: ${message}` });
      return this.#close({ is: "detected", by: `${step}: ${code}` });
    }
    return this.#close({ is: "harmless" });
  }

  async #close(finding: Finding): Promise<Finding> {
    const closed = await this.#driver.ask("close");
    return "error" in closed && closed.error.code === null
      ? { is: "uncoded", message: `close: ${closed.error.message}` }
      : finding;
  }

  /**
   * Nothing was noticed. If every value of every table is still what it was, the byte lay where nothing is kept (free
   * pages, the rest of a page, fields of the header that only the engine reads) or in an index that the engine found
   * to agree with its table.
   */
  #compare(damaged: Buffer): Finding {
    const now = dump(damaged);
    if (!now) return { is: "undetected", columns: ["unreadable"] };
    const names = Object.keys({ ...now.columns, ...this.#sound.columns });
    const columns = names.filter((name) => now.columns[name] !== this.#sound.columns[name]);
    return columns.length === 0 ? { is: "harmless" } : { is: "undetected", columns };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#driver[Symbol.asyncDispose]();
  }
}

export function isFault(finding: Finding): boolean {
  if (finding.is === "undetected") return finding.columns.some((column) => !NOT_THE_RECORD.test(column));
  return finding.is !== "detected" && finding.is !== "harmless";
}

export function summarize(what: string, found: readonly Finding[]): void {
  const count = (is: Finding["is"]) => found.filter((finding) => finding.is === is).length;
  const derived = found.filter((finding) => finding.is === "undetected" && !isFault(finding)).length;
  const columns = Map.groupBy(
    found.flatMap((finding) => (finding.is === "undetected" ? finding.columns : [])),
    (column) => column,
  );
  const where = [...columns].map(([column, { length }]) => `${column} ${length}`).join(", ");
  report(
    `${what}: ${count("detected")} detected, ${count("harmless")} harmless, ` +
      `${count("undetected") - derived} undetected in the record, ${derived} in derived data${where === "" ? "" : ` (${where})`}, ` +
      `${count("uncoded")} without a code, ${count("crash")} crashes, ${count("replaced")} replaced`,
  );
}
