import { beforeEach, expect, test } from "vitest";
import { apply } from "../../domain/session/apply.ts";
import type { EventBody, NewEvent, SessionEvent } from "../../domain/session/event.ts";
import type { Channel, SessionRow } from "../../domain/session/session.ts";
import type { Observation } from "../../domain/supervise/observation.ts";
import type { Instant } from "../../domain/time.ts";
import { CONTINUE, END, GONE, launched, observe, PAUSE, said, starting } from "../../testing/carried.ts";
import { newEvent } from "../../testing/events.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { type Act, type LoopPorts, SessionLoop } from "./session-loop.ts";

const TEXT: Observation = { saw: "text_given", by: "send", text: "hello", isCommand: false };

/** A store, a clock and hands in memory, which write down what the loop asks of them. */
class Rim implements LoopPorts {
  readonly log: string[] = [];
  readonly clock = new FakeClock();
  row: SessionRow | undefined = observe(starting(), launched(true), said("good"));
  events: SessionEvent[] = [];
  /** How often each decision is made before it is committed. */
  tries = 1;
  failure: { readonly in: "change" | "committed" | "act"; readonly error: Error } | null = null;
  /** Resolves with the first question to the store. */
  readonly asked = Promise.withResolvers<void>();
  /** The next commit waits for this. */
  held: Promise<void> = Promise.resolve();
  #isInTransaction = false;

  readonly change: LoopPorts["change"] = async (decide) => {
    this.log.push("asked to commit");
    this.asked.resolve();
    await this.held;
    this.#fail("change");
    let added: readonly NewEvent[] = [];
    this.#isInTransaction = true;
    for (let time = 0; time < this.tries; time += 1) added = decide(this.row) as readonly NewEvent[];
    this.#isInTransaction = false;
    await Promise.resolve();
    this.log.push(`durable: ${added.map(({ body }) => body.kind).join(" ")}`);
    return this.#commit(added);
  };

  readonly now = (): Instant => this.clock.instant;

  readonly stamper = (channel: Channel | null) => {
    this.log.push(`stamper for ${channel}${this.#isInTransaction ? " in a transaction" : ""}`);
    return (body: EventBody, at: Instant) => ({ ...newEvent(body, at), channel });
  };

  readonly committed = async (row: SessionRow): Promise<void> => {
    this.#fail("committed");
    await Promise.resolve();
    this.log.push(`followed: ${row.state}`);
  };

  readonly act = async (act: Act): Promise<void> => {
    this.#fail("act");
    this.log.push(`begin ${act.do}`);
    await Promise.resolve();
    this.log.push(`done ${act.do}`);
  };

  #commit(added: readonly NewEvent[]): { row: SessionRow; events: SessionEvent[] } {
    const events = added.map((event, index) => ({
      ...event,
      sessionId: "s1",
      seq: (this.row?.seq ?? 0) + index + 1,
    }));
    this.row = events.reduce<SessionRow | undefined>((row, event) => apply(row, event), this.row);
    if (!this.row) throw new Error("There is no session s1.");
    this.events.push(...events);
    return { row: this.row, events };
  }

  #fail(where: "change" | "committed" | "act"): void {
    if (this.failure?.in !== where) return;
    const { error } = this.failure;
    this.failure = null;
    throw error;
  }
}

let rim: Rim;
let loop: SessionLoop;

beforeEach(() => {
  rim = new Rim();
  loop = new SessionLoop(rim, 1);
});

test("an act begins when its events are durable and whatever follows the row has seen it", async () => {
  await loop.observe(PAUSE);
  expect(rim.log.slice(1)).toEqual([
    "asked to commit",
    expect.stringMatching(/^durable: ./),
    "followed: paused",
    "begin pause_tree",
    "done pause_tree",
  ]);
});

test("a decision without events is acted on, and nobody is told of a commit", async () => {
  const { row, seq, events } = await loop.observe(GONE);
  expect(rim.log.slice(2)).toEqual(["durable: ", "begin look_for_traces", "done look_for_traces"]);
  expect({ seq, events }).toEqual({ seq: row.seq, events: [] });
});

test("an observation is answered with the row, its events and the seq of the last one", async () => {
  const { row, events, seq } = await loop.observe(TEXT);
  expect(row).toBe(rim.row);
  expect(events).toEqual(rim.events);
  expect(events.length).toBeGreaterThan(1);
  expect(seq).toBe(events.at(-1)?.seq);
});

test("acts are done one after the other, in the order of the decision", async () => {
  const both = new SessionLoop({ ...rim, decide: () => [{ do: "adopt" }, { do: "pause_tree" }] }, 1);
  await both.observe(GONE);
  expect(rim.log.slice(3)).toEqual(["begin adopt", "done adopt", "begin pause_tree", "done pause_tree"]);
});

test("an observation is decided when the acts of the one before are done", async () => {
  await Promise.all([loop.observe(PAUSE), loop.observe(CONTINUE)]);
  const asked = rim.log.lastIndexOf("asked to commit");
  expect(rim.log.indexOf("done pause_tree")).toBe(asked - 1);
  expect(rim.log.indexOf("begin continue_tree")).toBeGreaterThan(asked);
});

test("a transaction that decides more than once is acted on once", async () => {
  rim.tries = 3;
  await loop.observe(PAUSE);
  expect(rim.log.filter((line) => line.startsWith("begin"))).toEqual(["begin pause_tree"]);
});

test("a transaction that decides again is acted on by its last decision", async () => {
  const decisions: Act[] = [{ do: "adopt" }, { do: "close" }];
  rim.tries = 2;
  const again = new SessionLoop({ ...rim, decide: () => decisions.splice(0, 1) }, 1);
  await again.observe(GONE);
  expect(rim.log.filter((line) => line.startsWith("begin"))).toEqual(["begin close"]);
});

test.each(["change", "committed", "act"] as const)(
  "a failure in `%s` reaches the caller alone, and later observations work",
  async (where) => {
    const error = new Error("disk full");
    rim.failure = { in: where, error };
    const [failed, later] = await Promise.allSettled([loop.observe(PAUSE), loop.observe(END)]);
    expect(failed).toEqual({ status: "rejected", reason: error });
    expect(later).toMatchObject({ status: "fulfilled", value: { row: { state: "stopping" } } });
    expect(rim.log.at(-1)).toBe("done end_tree");
  },
);

test("nothing is done about a commit that failed", async () => {
  rim.failure = { in: "change", error: new Error("disk full") };
  await expect(loop.observe(PAUSE)).rejects.toThrow("disk full");
  expect(rim.log.slice(1)).toEqual(["asked to commit"]);
});

test("the id of an input is the id of `input_given` and of no other event", async () => {
  await loop.observe(TEXT, { inputId: "key-1" });
  const keyed = rim.events.filter(({ id }) => id === "key-1");
  expect(keyed.map(({ body }) => body.kind)).toEqual(["input_given"]);
  expect(rim.events.length).toBeGreaterThan(1);
});

test("without the id of an input each event keeps its own", async () => {
  await loop.observe(TEXT);
  expect(rim.events.map(({ id }) => id)).not.toContain(undefined);
  expect(new Set(rim.events.map(({ id }) => id)).size).toBe(rim.events.length);
});

test("the stamper is asked for at once, while the caller is known, and not inside the transaction", async () => {
  const commit = Promise.withResolvers<void>();
  rim.held = commit.promise;
  const observed = [loop.observe(PAUSE, { channel: "cli" }), loop.observe(CONTINUE)];
  expect(rim.log).toEqual(["stamper for cli", "stamper for null"]);
  commit.resolve();
  await Promise.all(observed);
  expect(rim.log.filter((line) => line.startsWith("stamper"))).toHaveLength(2);
  expect(rim.events[0]?.channel).toBe("cli");
});

test("an observation has the time at which its turn comes", async () => {
  const commit = Promise.withResolvers<void>();
  rim.held = commit.promise;
  const observed = [loop.observe(PAUSE), loop.observe(CONTINUE)];
  await rim.asked.promise;
  const first = rim.clock.instant;
  rim.clock.advance({ minutes: 1 });
  commit.resolve();
  await Promise.all(observed);
  expect([...new Set(rim.events.map(({ at }) => at))]).toEqual([first, rim.clock.instant]);
});

test("a loop of an earlier generation changes nothing and does nothing", async () => {
  const before = rim.row;
  await new SessionLoop(rim, 0).observe(END);
  expect(rim.row).toBe(before);
  expect(rim.log.slice(2)).toEqual(["durable: "]);
});

test("nothing is decided about a session that has no row", async () => {
  rim.row = undefined;
  const decide = () => expect.unreachable();
  await expect(new SessionLoop({ ...rim, decide }, 1).observe(END)).rejects.toThrow("There is no session");
});

test("settled() resolves when everything that was observed before is done, failures included", async () => {
  rim.failure = { in: "act", error: new Error("no such process") };
  const failed = loop.observe(PAUSE).catch(() => rim.log.push("failed"));
  void loop.observe(END);
  await loop.settled();
  expect(rim.log.at(-1)).toBe("done end_tree");
  await failed;
});

test("work in order runs behind the observations before it and ahead of those after it", async () => {
  const before = loop.observe(PAUSE);
  const work = loop.inOrder(async () => rim.log.push("work"));
  await Promise.all([before, work, loop.observe(CONTINUE)]);
  const at = rim.log.indexOf("work");
  expect(rim.log[at - 1]).toBe("done pause_tree");
  expect(rim.log[at + 1]).toBe("asked to commit");
});
