import { expect, test } from "vitest";
import { newLab } from "./lab.ts";
import { COMING_UP, failedAlone, matrix, TO_THE_END, toATurn } from "./matrix.ts";
import { ASKING_FOR_TRUST } from "./not-offered.ts";
import { begin } from "./turn.ts";

matrix(({ program, kind }) => {
  test("start to ready", async () => {
    await using lab = await newLab(program);
    const causeMs = Date.now();
    const session = await lab.start(kind);
    await session.at("ready", "waiting_input:prompt", { via: COMING_UP, causeMs, isComingUp: true });
    // The file of Gemini CLI is there at launch, and the events of OpenCode can be read from then on.
    const observability = ["gemini", "opencode"].includes(program) ? "live" : "not_yet_observable";
    expect((await lab.ok(["data", session.id, "--json"])).json).toMatchObject({ observability });
  });

  const refused = kind === "interactive" ? "waiting_input:prompt" : failedAlone(program);

  test("missing key", async () => {
    await using lab = await newLab(program, { key: null });
    if (program === "gemini" && kind === "interactive") {
      const asking = await lab.start(kind);
      await asking.at("asked for a key", "waiting_input:login", { via: COMING_UP });
      return;
    }
    const session = await begin(lab, kind, "[[text:never said]]");
    await session.at("turn without a key", refused, { via: [...toATurn(kind), ...TO_THE_END] });
  });

  test("wrong key", async () => {
    await using lab = await newLab(program, { key: "wrong" });
    const session = await begin(lab, kind, "[[text:never said]]");
    await session.at("turn refused for its key", refused, { via: [...toATurn(kind), ...TO_THE_END] });
    const { outcome } = (await lab.ok(["end", session.id, "--json"])).only.session as { outcome: string };
    expect(outcome).toBe("failure");
  });
});

matrix(
  ({ program, kind }) => {
    test("trust dialog", async () => {
      await using lab = await newLab(program, { isTrusted: false });
      const session = await lab.start(kind);
      await session.at("trust asked", "waiting_input:trust", { via: COMING_UP });
      await lab.ok(["approve", session.id]);
      const causeMs = await session.inputGivenMs("answer");
      await session.at("trusted", "waiting_input:prompt", { via: COMING_UP, causeMs, isComingUp: true });
    });

    test("trust denied", async () => {
      await using lab = await newLab(program, { isTrusted: false });
      const session = await lab.start(kind);
      await session.at("trust asked", "waiting_input:trust", { via: COMING_UP });
      await lab.rollcall(["deny", session.id]);
      // Gemini CLI goes on without the settings of the folder.
      if (program === "gemini") {
        await session.at("not trusted", "waiting_input:prompt", { via: COMING_UP });
        return;
      }
      await lab.ok(["wait", session.id, "--until", "stopped,failed", "--timeout", "30s"]);
    });
  },
  { programs: ASKING_FOR_TRUST, kinds: ["interactive"] },
);

matrix(
  ({ program, kind }) => {
    test("key dialog", async () => {
      await using lab = await newLab(program, { isKeyApproved: false });
      const session = await lab.start(kind);
      await session.at("asked about the key", "waiting_input:login", { via: COMING_UP });
      expect(await lab.rollcall(["approve", session.id])).toMatchObject({ code: 4 });
    });
  },
  { programs: ["claude"], kinds: ["interactive"] },
);

matrix(
  ({ program, kind }) => {
    test("folder that is not trusted", async () => {
      await using lab = await newLab(program, { isTrusted: false });
      const session = await lab.start(kind, "[[text:never said]]");
      const left = await session.at("refused to work there", "failed", {
        via: [...COMING_UP, ...TO_THE_END],
      });
      expect(left).toMatchObject({ exit_code: 55, outcome: "failure" });
    });
  },
  { programs: ["gemini"], kinds: ["autonomous"] },
);
