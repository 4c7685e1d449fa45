import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Driver } from "./driver.ts";
import { missingTool } from "./mounts.ts";
import { Place } from "./place.ts";
import { report } from "./scale.ts";
import { hasProgram, sh } from "./sh.ts";

const reason = hasProgram("cc") ? undefined : missingTool("cc", "apt-get install build-essential");
if (reason !== undefined) report(`failing fsync: not run: ${reason}`);

const FAILED = {
  code: "store_failed",
  message: expect.stringMatching(/failed\.$/),
  hint: expect.any(String),
};

describe.skipIf(reason !== undefined)("an fsync that fails", () => {
  test("once: the call is not acknowledged, the next one is, and nothing acknowledged is lost", async () => {
    using place = new Place("fsync");
    await using bench = await Bench.start(place, "-wal");
    bench.fail(1);
    expect(await bench.record(3, 1)).toEqual({ acknowledged: [], failures: [FAILED] });
    expect(bench.left).toBe(0);
    expect(await bench.record(4, 3)).toEqual({ acknowledged: [4, 5, 6], failures: [] });
    await bench.expectKept([0, 1, 2, 4, 5, 6], [3]);
  });

  test("for every commit: all calls that share it are refused in words, and the process goes on", async () => {
    using place = new Place("fsync");
    await using bench = await Bench.start(place, "-wal");
    bench.fail(1_000_000);
    const { acknowledged, failures } = await bench.burst(3, 8);
    expect({ acknowledged, failures }).toEqual({ acknowledged: [], failures: Array(8).fill(FAILED) });
    bench.fail(0);
    expect(await bench.burst(20, 8)).toMatchObject({ failures: [] });
    await bench.expectKept([0, 1, 2, 20, 21, 22, 23, 24, 25, 26, 27], [3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test("for one call after the other: each is refused in words, also where the journal cannot be taken over", async () => {
    using place = new Place("fsync");
    await using bench = await Bench.start(place, "-wal");
    bench.fail(1_000_000);
    for (const step of [3, 4, 5])
      expect(await bench.record(step, 1)).toEqual({ acknowledged: [], failures: [FAILED] });
    bench.fail(0);
    expect(await bench.record(20, 1)).toEqual({ acknowledged: [20], failures: [] });
    await bench.expectKept([0, 1, 2, 20], [3, 4, 5]);
  });

  test("once, under calls that share a commit: none is acknowledged by trying again on the same journal", async () => {
    using place = new Place("fsync");
    await using bench = await Bench.start(place, "-wal");
    const journal = bench.journal;
    bench.fail(1);
    const { acknowledged, failures } = await bench.burst(3, 8);
    // The kernel keeps showing what it failed to write and calls it clean: the next fsync says nothing about it.
    if (acknowledged.length > 0) expect(bench.journal).not.toBe(journal);
    expect(failures).toEqual(Array(8 - acknowledged.length).fill(FAILED));
    expect(await bench.record(20, 1)).toEqual({ acknowledged: [20], failures: [] });
    await bench.expectKept([0, 1, 2, ...acknowledged, 20], [3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test("of the database itself, at a checkpoint, loses nothing", async () => {
    using place = new Place("fsync");
    await using bench = await Bench.start(place, "rollcall.db");
    bench.fail(3);
    const all: number[] = [0, 1, 2];
    for (let from = 3; bench.left > 0 && from < 5000; from += 50) {
      const { acknowledged, failures } = await bench.burst(from, 50);
      for (const failure of failures) expect(failure).toEqual(FAILED);
      all.push(...acknowledged);
    }
    expect(bench.left).toBe(0);
    expect(await bench.record(5000, 1)).toEqual({ acknowledged: [5000], failures: [] });
    await bench.expectKept([...all, 5000], range(3, 5000));
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/** A process whose fsync can be made to fail, with three calls recorded. */
class Bench implements AsyncDisposable {
  readonly #place: Place;
  readonly #driver: Driver;
  readonly #id: string;

  private constructor(place: Place, driver: Driver, id: string) {
    this.#place = place;
    this.#driver = driver;
    this.#id = id;
  }

  static async start(place: Place, failsOn: string): Promise<Bench> {
    const library = place.path("failing-fsync.so");
    sh("cc", "-shared", "-fPIC", "-O1", "-o", library, join(import.meta.dirname, "failing-fsync.c"), "-ldl");
    const env = {
      ...place.env,
      LD_PRELOAD: library,
      FAIL_FSYNC_COUNT: place.path("count"),
      FAIL_FSYNC_ON: failsOn,
    };
    const driver = new Driver({ env });
    await driver.get("open", place.path("home"), place.folder("workspace"));
    const id = await driver.get("create", false);
    await driver.get("record", id, 0, 3, 100);
    return new Bench(place, driver, id);
  }

  fail(count: number): void {
    writeFileSync(this.#place.path("count"), String(count).padEnd(8));
  }

  get left(): number {
    return Number(readFileSync(this.#place.path("count"), "utf8"));
  }

  async record(from: number, count: number): ReturnType<typeof this.burst> {
    return this.#driver.get("record", this.#id, from, count, 100);
  }

  async burst(
    from: number,
    count: number,
  ): Promise<{ acknowledged: readonly number[]; failures: readonly object[] }> {
    return this.#driver.get("burst", this.#id, from, count, 100);
  }

  /** When the journal was made: another one has another time. */
  get journal(): bigint {
    return statSync(join(this.#place.path("home"), "rollcall.db-wal"), { bigint: true }).birthtimeNs;
  }

  /**
   * Here, and in another process after this one was killed. What was refused because the disk failed may have reached
   * it all the same: once, or not at all.
   */
  async expectKept(acknowledged: readonly number[], refused: readonly number[]): Promise<void> {
    const numbers = await this.#driver.get("numbers", this.#id);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(numbers).toEqual(expect.arrayContaining([...acknowledged]));
    expect([...acknowledged, ...refused]).toEqual(expect.arrayContaining(numbers));
    expect((await this.#driver.get("verify")).problems).toEqual([]);
    await this.#driver.child.kill();
    await using other = new Driver({ env: this.#place.env });
    await other.get("open", this.#place.path("home"), this.#place.folder("workspace"));
    expect(await other.get("numbers", this.#id)).toEqual(numbers);
    expect((await other.get("verify")).problems).toEqual([]);
    await other.child.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#driver[Symbol.asyncDispose]();
  }
}
