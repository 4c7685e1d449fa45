import { expect, test } from "vitest";
import type { Mode } from "../../agents/agent.ts";
import type { ScreenRule } from "../../domain/screen/screen-rules.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { launched, observe, said, starting } from "../../testing/carried.ts";
import { pass, useFakeTime } from "../../testing/session/fake-time.ts";
import {
  configOf,
  factsOf,
  type GivenFacts,
  holderOf,
  keptIntake,
  keptLog,
} from "../../testing/session/ports.ts";
import { screenShowing } from "../../testing/session/screens.ts";
import { ScreenWatch } from "./screen-watch.ts";

const TRUST: ScreenRule = {
  name: "trust",
  says: "waiting",
  for: "trust",
  pattern: "^Trust\\?",
  options: ["y"],
};
const READY: ScreenRule = { name: "prompt", says: "ready", pattern: "^>", quiet: true };
const QUIET_MS = 2000;

useFakeTime();

const loading = (): SessionRow => observe(starting(), launched());
const working = (): SessionRow => observe(loading(), said("working"));
const asking = (): SessionRow => observe(working(), said("permission"));
const inDialog = (): SessionRow => observe(loading(), said("trust", { source: "screen", fillsGap: true }));
const toldDialog = (): SessionRow => observe(loading(), said("trust"));
const shownRequest = (): SessionRow => observe(loading(), said("permission", { source: "screen" }));

interface Given {
  readonly row?: SessionRow;
  readonly rules?: readonly ScreenRule[];
  readonly shown?: NonNullable<Mode["sources"]["screen"]>["shown"];
  readonly launch?: GivenFacts["launch"];
  readonly isAwaited?: boolean;
  readonly isGone?: boolean;
}

function watchOf({ row, rules = [], shown, launch = {}, isAwaited = false, isGone = false }: Given = {}) {
  const { taken, intake } = keptIntake();
  const terminal = { text: "", looks: 0 };
  const screen = { rules, ...(shown === undefined ? {} : { shown }) };
  const watch = new ScreenWatch({
    ...factsOf({ mode: { sources: { screen } }, launch }),
    ...keptLog(),
    config: configOf(),
    ...holderOf(isGone ? {} : { status: {} }),
    intake: { ...intake, isAwaited },
    screens: {
      screenOf: async () => {
        terminal.looks += 1;
        return screenShowing(terminal.text);
      },
    },
  });
  if (row) watch.begin(row);
  const signals = () => taken.all.flatMap(({ signal }) => (signal ? [`${signal.says} ${signal.rule}`] : []));
  return { watch, terminal, taken, signals };
}

test("a dialog on the screen is told 150 ms after the screen changed", async () => {
  const { watch, terminal, taken } = watchOf({ row: loading(), rules: [TRUST] });
  terminal.text = "Trust? [y]";
  watch.changed();
  await pass(149);
  expect([terminal.looks, taken.all]).toEqual([0, []]);
  await pass(1);
  expect(taken.all).toMatchObject([
    { signal: { says: "asking", source: "screen", rule: "trust", fillsGap: true, asked: { for: "trust" } } },
  ]);
});

test("a dialog that was drawn before its agent is known to ask is looked at then", async () => {
  const shown = () => ({ taken: ["it"] });
  const { watch, terminal, taken } = watchOf({ row: working(), shown });
  watch.follow(asking());
  await pass(150);
  expect([terminal.looks, taken.all]).toMatchObject([1, [{ parsed: { taken: ["it"] } }]]);
});

test("a screen that goes on changing is looked at once in 150 ms", async () => {
  const { watch, terminal } = watchOf({ row: loading(), rules: [TRUST] });
  for (let at = 0; at < 300; at += 10) {
    watch.changed();
    await pass(10);
  }
  expect(terminal.looks).toBe(2);
});

test("a rule for a quiet screen holds only when nothing changed for the time of the setting", async () => {
  const { watch, terminal, signals } = watchOf({ row: loading(), rules: [READY] });
  terminal.text = "> ";
  watch.changed();
  await pass(1000);
  watch.changed();
  await pass(QUIET_MS - 1);
  expect(signals()).toEqual([]);
  await pass(1);
  expect(signals()).toEqual(["ready prompt"]);
});

test.each([
  ["before its first prompt", ["asking trust"], loading],
  ["in a dialog that the screen told of", ["asking trust"], inDialog],
  ["in a dialog that the agent told of", [], toldDialog],
  ["at a request that the screen told of", [], shownRequest],
  ["at work", [], working],
  ["at a request that the agent told of", [], asking],
])("the screen rules of an agent %s find %j", async (_, told, rowOf) => {
  const { watch, terminal, signals } = watchOf({ row: rowOf(), rules: [TRUST] });
  terminal.text = "Trust?";
  watch.changed();
  await pass(QUIET_MS);
  expect([...new Set(signals())]).toEqual(told);
  expect(terminal.looks > 0).toBe(told.length > 0);
});

test("a row that changes is followed: after the first prompt its screen is looked at no more", async () => {
  const { watch, terminal } = watchOf({ row: loading(), rules: [TRUST] });
  watch.follow(working());
  watch.changed();
  await pass(QUIET_MS);
  expect(terminal.looks).toBe(0);
});

test("a first dialog that is gone from the screen means that the agent loads on", async () => {
  const { watch, terminal, signals } = watchOf({ row: inDialog(), rules: [TRUST] });
  terminal.text = "Loading";
  watch.changed();
  await pass(150);
  expect(signals()).toEqual(["loading dialog_gone"]);
});

test("a plain command that shows its pattern waits as soon as it is quiet", async () => {
  const { watch, terminal, signals } = watchOf({ row: working(), launch: { waitPattern: "Name\\?$" } });
  terminal.text = "Name?";
  watch.changed();
  await pass(QUIET_MS);
  expect(signals()).toEqual(["working wait_pattern_gone", "ready wait_pattern"]);
});

test("a plain command that shows its pattern no more works", async () => {
  const { watch, terminal, signals } = watchOf({ row: working(), launch: { waitPattern: "Name\\?$" } });
  terminal.text = "Hello";
  watch.changed();
  await pass(QUIET_MS);
  expect(new Set(signals())).toEqual(new Set(["working wait_pattern_gone"]));
});

test("an agent that shows nothing of its rules says nothing by its screen", async () => {
  const { watch, terminal, taken } = watchOf({ row: loading(), rules: [TRUST] });
  watch.changed();
  await pass(QUIET_MS);
  expect([terminal.looks, taken.all]).toEqual([2, []]);
});

test.each([
  ["asks for something", true, { row: asking() }],
  ["has a text that somebody waits for", true, { row: working(), isAwaited: true }],
  ["works", false, { row: working() }],
])("the screen of an agent that %s is parsed: %s", async (_, isParsed, given) => {
  const { watch, terminal, taken } = watchOf({ ...given, shown: (text) => ({ taken: [text] }) });
  terminal.text = "text in the box";
  watch.changed();
  await pass(150);
  const parsed = { parsed: { taken: ["text in the box"] }, place: null };
  expect(taken.all).toEqual(isParsed ? [parsed] : []);
});

test.each([
  ["without a terminal", { launch: { host: "pipe" as const } }],
  ["whose holder does not answer", { isGone: true }],
])("a session %s has no screen", async (_, given) => {
  const { watch, terminal } = watchOf({ ...given, row: loading(), rules: [TRUST] });
  expect([await watch.now(), await watch.match(), terminal.looks]).toEqual([undefined, undefined, 0]);
  expect(await watch.modes()).toEqual({ bracketedPaste: false });
});

test("a screen watch that is stopped looks no more", async () => {
  const { watch, terminal } = watchOf({ row: loading(), rules: [TRUST] });
  watch.changed();
  watch.stop();
  await pass(QUIET_MS);
  expect(terminal.looks).toBe(0);
});

test("the rules say what they find on the screen now", async () => {
  const { watch, terminal } = watchOf({ row: loading(), rules: [TRUST] });
  terminal.text = "Trust? [y]";
  expect(await watch.match()).toMatchObject({ rule: { name: "trust" }, excerpt: "Trust? [y]" });
});
