import { beforeEach, expect, test } from "vitest";
import { T0, T1 } from "../../testing/events.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { heldBytes } from "../../testing/held-memory.ts";
import { ActivityWatch } from "./activity-watch.ts";

const SAID = { role: "assistant", kind: "text", text: "Reading the tests", tool: null } as const;
const CALL = {
  role: "assistant",
  kind: "tool_call",
  text: null,
  tool: { name: "Bash", params: null },
} as const;
const BEFORE = { text: "before", tool: null, at: T0 };

let clock: FakeClock;
let changes: number;
let activity: ActivityWatch;

beforeEach(() => {
  clock = new FakeClock(T0);
  changes = 0;
  activity = new ActivityWatch(clock.now, () => (changes += 1));
});

test("a session that said nothing does nothing that is known", () => {
  activity.touch();
  expect([activity.current, changes]).toEqual([null, 0]);
});

test("the last entry is what a session does, at the time at which the agent said it", () => {
  activity.addEntries([SAID, CALL], T1);
  expect(activity.current).toMatchObject({ tool: "Bash", at: T1 });
  expect(changes).toBe(2);
});

test("an entry that says nothing of what the session does changes nothing", () => {
  activity.addEntries([SAID]);
  activity.addEntries([{ role: "system", kind: "notice", text: "Noted", tool: null }]);
  expect([activity.current?.text, changes]).toEqual([SAID.text, 1]);
});

test("an entry without a time has the time at which it was read", () => {
  clock.advance({ seconds: 1 });
  activity.addEntries([SAID]);
  expect(activity.current).toEqual({ text: SAID.text, tool: null, at: clock.instant });
});

test("an agent that writes on is active at that time, with what it did before", () => {
  activity.addEntries([SAID]);
  clock.advance({ seconds: 1 });
  activity.touch();
  expect([activity.current, changes]).toEqual([{ text: SAID.text, tool: null, at: clock.instant }, 2]);
});

test("the activity that a daemon before this one saw stands until there is another", () => {
  activity.restore(BEFORE);
  expect(activity.current).toEqual(BEFORE);
  activity.addEntries([SAID]);
  activity.restore(BEFORE);
  expect(activity.current?.text).toBe(SAID.text);
});

test("the last line of the output is what a plain command does", () => {
  activity.addOutput("one\ntwo\nthr");
  expect(activity.current).toEqual({ text: "thr", tool: null, at: T0 });
  clock.advance({ seconds: 1 });
  activity.addOutput("ee\n");
  expect(activity.current).toEqual({ text: "three", tool: null, at: clock.instant });
  expect(changes).toBe(2);
});

test("only the end of long output is kept", () => {
  activity.addOutput(`${"x".repeat(10_000)}`);
  activity.addOutput("\nlast");
  expect(activity.current?.text).toBe("last");
});

test("what a session does holds on to nothing of its output", () => {
  const [sessions, bytes] = [40, 1_000_000];
  const watches = () =>
    Array.from({ length: sessions }, () => {
      const watch = new ActivityWatch(clock.now, () => {});
      watch.addOutput(Buffer.alloc(bytes, "a line of output\n").toString());
      return watch;
    });
  expect(heldBytes(watches)).toBeLessThan((sessions * bytes) / 4);
});
