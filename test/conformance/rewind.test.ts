import { expect } from "vitest";
import { expectSameFromDisk } from "./from-disk.ts";
import { type Lab, newLab } from "./lab.ts";
import { matrix, slowTest } from "./matrix.ts";
import { begin } from "./turn.ts";
import type { Watched } from "./watched.ts";

const ONE = "[[text:first]]";
const TWO = "[[text:second]]";

/** The keys that take the last prompt back, each with what the screen shows then. Claude's box has a hard blank. */
const BACK = {
  claude: [
    ["/ r e w i n d", "❯\u00a0/rewind"],
    ["Enter", "(current)"],
    ["Up", "↓ 1 more"],
    ["Enter", "1. Restore conversation"],
    ["Enter", `❯\u00a0${TWO}`],
  ],
  codex: [
    ["Escape Escape", "↵ rewind"],
    ["Enter", "Conversation reverted"],
  ],
} as const;

matrix(
  ({ program, kind }) => {
    slowTest("what a person takes back is left out, and stays billed", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, ONE);
      await rests(lab, session, 1);
      await session.send(TWO);
      await rests(lab, session, 2);
      for (const [key, shows] of BACK[program]) await press(lab, session, key, shows);
      // The prompt stands in the box again.
      await pressed(lab, session, "Enter", async () => (await turnOf(session)).number === 3);
      await expect.poll(() => turnOf(session)).toMatchObject({ number: 3, state: "done" });
      const all = [ONE, `${TWO} taken back`, TWO];
      await expect.poll(() => textsOf(lab, session, "--rewound")).toEqual(all);
      expect(await textsOf(lab, session)).toEqual([ONE, TWO]);
      await expect
        .poll(async () => (await session.get()).usage)
        .toMatchObject({ turns: 3, tokens_output: 60 });
      await expectSameFromDisk(lab);
    });
  },
  // Words that Gemini CLI takes back stay in the record.
  { programs: ["claude", "codex"], kinds: ["interactive"] },
);

async function rests(lab: Lab, { id }: Watched, turn: number): Promise<void> {
  await lab.ok(["wait", id, "--turn", String(turn), "--timeout", "60s"]);
  await lab.ok(["wait", id, "--until", "waiting_input", "--timeout", "60s"]);
}

async function turnOf(session: Watched): Promise<{ readonly number: number; readonly state: string }> {
  return (await session.get()).turn as Awaited<ReturnType<typeof turnOf>>;
}

async function press(lab: Lab, session: Watched, key: string, shows: string): Promise<void> {
  await pressed(lab, session, key, async () => {
    const { json } = await lab.ok(["data", session.id, "--json"]);
    return String(json.screen).includes(shows);
  });
}

/** The programs drop a key that comes too soon: it is pressed again where nothing came of it. */
async function pressed(lab: Lab, { id }: Watched, keys: string, isSo: () => Promise<boolean>): Promise<void> {
  const tries = async () => {
    if (await isSo()) return true;
    await lab.ok(["keys", id, ...keys.split(" ")]);
    return isSo();
  };
  await expect.poll(tries, { interval: 2000 }).toBe(true);
}

async function textsOf(lab: Lab, { id }: Watched, ...options: readonly string[]): Promise<string[]> {
  const { entries } = (await lab.ok(["data", id, "--json", "--tail", "200", ...options])).json as unknown as {
    entries: { role: string; kind: string; text: string; is_rewound?: true }[];
  };
  const said = entries.filter(
    ({ role, kind, text }) => role === "user" && kind === "text" && text.startsWith("["),
  );
  return said.map(({ text, is_rewound }) => (is_rewound ? `${text} taken back` : text));
}
