import { expect, test } from "vitest";
import { newLab } from "./lab.ts";
import { failedAlone, matrix, slowTest, TO_THE_END, toATurn } from "./matrix.ts";
import type { RecordedRequest } from "./model-server/recorded-request.ts";
import type { Kind } from "./moments.ts";
import type { ProgramName } from "./programs.ts";
import { begin } from "./turn.ts";

const GOOD = [
  ["API error, then success", "[[err:500:1]][[text:after all]]"],
  ["connection cut once", "[[text:half]][[cut:1]][[text:after all]]"],
] as const;

const BAD = [
  ["API error at once", "[[err:400]]"],
  ["retries exhausted", "[[err:500]]"],
  ["connection cut", "[[text:half]][[cut]]"],
] as const;

/** At its terminal Gemini CLI tries again for minutes, whatever its setting says. */
const triesOn = (program: ProgramName, kind: Kind, moment: string) =>
  program === "gemini" && kind === "interactive" && moment === "retries exhausted";

const isRefused = ({ outcome }: RecordedRequest) => outcome === "refused";

matrix(({ program, kind }) => {
  const isInteractive = kind === "interactive";

  test.each(GOOD)("%s", async (moment, text) => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, text);
    const over = isInteractive ? "waiting_input:prompt" : "stopped";
    await session.at(moment, over, { via: [...toATurn(kind), ...TO_THE_END] });
    const ended = (await lab.ok(["end", session.id, "--json"])).only.session;
    expect(ended).toMatchObject({ outcome: "success" });
  });

  // OpenCode tries a connection that was cut again for more than a minute, which nothing shortens.
  const isLong = (moment: string) => program === "opencode" && moment === "connection cut";

  test.each(BAD)("%s", async (moment, text) => {
    await using lab = await newLab(program, { retries: 1 });
    const session = await begin(lab, kind, text);
    if (triesOn(program, kind, moment)) {
      await session.at("trying again", "running", { via: toATurn(kind) });
      await expect.poll(() => lab.model.requests.filter(isRefused).length).toBeGreaterThan(3);
      await session.stays("still trying", "running", 500);
      return;
    }
    const over = isInteractive ? "waiting_input:prompt" : failedAlone(program);
    const via = [...toATurn(kind), ...TO_THE_END];
    await session.at(moment, over, { via, ...(isLong(moment) ? { patienceMs: 180_000 } : {}) });
    const ended = (await lab.ok(["end", session.id, "--json"])).only.session;
    expect(ended).toMatchObject({ outcome: "failure" });
  });
});

matrix(
  ({ program, kind }) => {
    slowTest("API error, shown right for as long as it lasts", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "[[err:400]]");
      await session.at("API error", "waiting_input:prompt", { via: toATurn(kind) });
      await session.stays("90 s behind an API error", "waiting_input:prompt", 90_000);
    });
  },
  { kinds: ["interactive"] },
);
