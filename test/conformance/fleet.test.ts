import { expect, test } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { acpLab } from "./acp-lab.ts";
import { newLab } from "./lab.ts";
import { COMING_UP, matrix, slowTest, TO_THE_END } from "./matrix.ts";
import type { Kind } from "./moments.ts";
import { KINDS, PROGRAMS } from "./not-offered.ts";
import type { ProgramName } from "./programs.ts";

const COUNT = 20;

matrix(
  ({ program, kind }) => {
    slowTest("20 sessions at once", async () => {
      await using lab = await newLab(program);
      const names = Array.from({ length: COUNT }, (_, index) => `n${index}`);
      const sessions = await Promise.all(names.map(() => lab.start(kind)));
      for (const session of sessions) await session.at("ready", "waiting_input:prompt", { via: COMING_UP });
      await Promise.all(
        sessions.map((session, index) =>
          session.send(`[[gate:${names[index]}]][[text:mine is ${names[index]}]]`),
        ),
      );
      for (const name of names) await lab.model.asked(name);
      for (const session of sessions) await session.at("all running", "running");
      for (const name of names) lab.model.open(name);
      for (const [index, session] of sessions.entries()) {
        const shown = await session.at("all done", "waiting_input:prompt");
        const asked = lab.model.requests.filter(({ conversationId }) => conversationId === shown.native_id);
        const prompts = asked.flatMap(({ prompts }) => prompts).filter((text) => text.includes("[[gate:"));
        expect(new Set(prompts)).toEqual(
          new Set([`[[gate:${names[index]}]][[text:mine is ${names[index]}]]`]),
        );
      }
      await lab.ok(["end", "--all", "--json"]);
      for (const session of sessions) await session.at("all ended", "stopped", { via: ["stopping"] });
    });
  },
  { programs: ["claude"], kinds: ["interactive"] },
);

const ALL: readonly Kind[] = [...KINDS, "acp"];
// One program for the list: it starts all four.
matrix(
  () => {
    slowTest("all four programs, each in three kinds, at once in one folder", async () => {
      const [first, ...beside] = PROGRAMS as readonly [ProgramName, ...ProgramName[]];
      await using lab = await newLab(first, { beside, adapters: ["claude", "codex"] });
      const crew = PROGRAMS.flatMap((program) => ALL.map((kind) => ({ program, kind })));
      const textOf = ({ program, kind }: Member) =>
        `[[gate:${program}-${kind}]][[text:by ${program}-${kind}]]`;
      const sessions = await Promise.all(
        crew.map(({ program, kind }) => lab.startOf(program, kind, textOf({ program, kind }))),
      );
      // Each is held by the model, so that all of them work at the same time.
      for (const { program, kind } of crew) await lab.model.asked(`${program}-${kind}`);
      for (const session of sessions)
        await session.at("all running", "running", { via: COMING_UP, patienceMs: 120_000 });
      const pids = await Promise.all(sessions.map((session) => session.pid()));
      expect(new Set(pids).size).toBe(crew.length);
      for (const { program, kind } of crew) lab.model.open(`${program}-${kind}`);
      for (const [index, session] of sessions.entries()) {
        const { kind, program } = crew[index] as Member;
        const over = kind === "autonomous" ? "stopped" : "waiting_input:prompt";
        const { turn } = await session.at("all done", over, { via: TO_THE_END });
        expect(turn).toMatchObject({ number: 1, state: "done", outcome: "success" });
        // Its own words alone, though all of them share files, a folder and a model.
        const said = (await session.entries()).filter(({ kind: what }) => what === "text");
        expect(said.map(({ role, text }) => [role, text])).toEqual([
          ["user", textOf({ program, kind })],
          ["assistant", `by ${program}-${kind}`],
        ]);
      }
      const listed = (await lab.ok(["list", "--limit", "all", "--json"])).json.sessions as Shown[];
      const natives = listed.map(({ native_id }) => native_id);
      expect([listed.length, new Set(natives).size]).toEqual([crew.length, crew.length]);
      await lab.ok(["end", "--all", "--json"]);
      for (const [index, session] of sessions.entries())
        if (crew[index]?.kind !== "autonomous")
          await session.at("all ended", "stopped", { via: ["stopping"] });
    });
  },
  { programs: ["claude"], kinds: ["interactive"] },
);

interface Member {
  readonly program: ProgramName;
  readonly kind: Kind;
}

// Several that make their database at once by themselves would fail.
matrix(
  ({ program }) => {
    test("three kinds at once in a home that was never used", async () => {
      await using lab = await acpLab(program);
      const sessions = await Promise.all(
        ALL.map(async (kind) => lab.start(kind, `[[gate:${kind}]][[text:by ${kind}]]`)),
      );
      for (const kind of ALL) await lab.model.asked(kind);
      for (const session of sessions) await session.at("all running", "running", { via: COMING_UP });
      for (const kind of ALL) lab.model.open(kind);
      for (const [index, session] of sessions.entries()) {
        const kind = ALL[index] as Kind;
        const over = kind === "autonomous" ? "stopped" : "waiting_input:prompt";
        const { turn } = await session.at("all done", over, { via: TO_THE_END });
        expect(turn).toMatchObject({ number: 1, outcome: "success" });
        expect((await session.entries()).at(-1)).toMatchObject({ text: `by ${kind}` });
      }
    });
  },
  { programs: ["codex", "opencode"], kinds: ["interactive"] },
);
