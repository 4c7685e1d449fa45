import { expect } from "vitest";
import { newLab } from "./lab.ts";
import { COMING_UP, matrix, slowTest } from "./matrix.ts";

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
