import { expect, test } from "vitest";
import { newLab } from "./lab.ts";
import { matrix, slowTest, TO_THE_END, toATurn } from "./matrix.ts";
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

  test.each(BAD)("%s", async (moment, text) => {
    await using lab = await newLab(program, { retries: 1 });
    const session = await begin(lab, kind, text);
    const over = isInteractive ? "waiting_input:prompt" : program === "claude" ? "failed" : "stopped";
    await session.at(moment, over, { via: [...toATurn(kind), ...TO_THE_END] });
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
