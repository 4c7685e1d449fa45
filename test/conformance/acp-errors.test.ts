import { expect, test } from "vitest";
import { acpLab, KIND, PROMPT } from "./acp-lab.ts";
import { COMING_UP, matrix } from "./matrix.ts";
import { begin } from "./turn.ts";

const GOOD = [
  ["API error, then success", "[[err:500:1]][[text:after all]]"],
  ["connection cut once", "[[text:half]][[cut:1]][[text:after all]]"],
] as const;

const BAD = [
  ["retries exhausted", "[[err:500]]"],
  ["connection cut", "[[text:half]][[cut]]"],
  ["API error in mid-answer", "[[text:half]][[err:500]]"],
] as const;

/** OpenCode tries for more than a minute, which nothing shortens. */
const PATIENCE_MS = 180_000;

matrix(
  ({ program }) => {
    test("missing key", async () => {
      await using lab = await acpLab(program, { key: null });
      const session = await lab.start(KIND);
      if (program === "gemini") {
        const { waiting } = await session.at("asked for a key", "waiting_input:login", { via: COMING_UP });
        expect(waiting).toMatchObject({ question: expect.stringContaining("API key") });
        return;
      }
      await session.at("ready", PROMPT, { via: COMING_UP });
      await session.send("[[text:never said]]");
      const shown = await session.at("turn without a key", PROMPT, { via: ["running"] });
      expect(shown.turn).toMatchObject({ outcome: "failure", error: expect.any(String) });
    });

    test("wrong key", async () => {
      await using lab = await acpLab(program, { key: "wrong", retries: 1 });
      const session = await begin(lab, KIND, "[[text:never said]]");
      const shown = await session.at("turn refused for its key", PROMPT, { via: ["running"] });
      expect(shown.turn).toMatchObject({ outcome: "failure", error: expect.any(String) });
    });

    test("API error at once", async () => {
      await using lab = await acpLab(program, { retries: 1 });
      const session = await begin(lab, KIND, "[[err:400]]");
      const shown = await session.at("API error at once", PROMPT, { via: ["running"] });
      const error = expect.stringContaining("scripted error 400");
      expect(shown.turn).toMatchObject({ outcome: "failure", error });
      await session.send("[[text:fine again]]");
      const fine = await session.at("turn done", PROMPT, { via: ["running"] });
      expect(fine.turn).toMatchObject({ outcome: "success" });
    });

    test.each(GOOD)("%s", async (moment, text) => {
      await using lab = await acpLab(program);
      const session = await begin(lab, KIND, text);
      const shown = await session.at(moment, PROMPT, { via: ["running"], patienceMs: PATIENCE_MS });
      expect(shown.turn).toMatchObject({ outcome: "success" });
    });

    test.each(BAD)("%s", async (moment, text) => {
      await using lab = await acpLab(program, { retries: 1 });
      const session = await begin(lab, KIND, text);
      const shown = await session.at(moment, PROMPT, { via: ["running"], patienceMs: PATIENCE_MS });
      expect(shown.turn).toMatchObject({ outcome: "failure", error: expect.any(String) });
    });
  },
  { kinds: [KIND] },
);
