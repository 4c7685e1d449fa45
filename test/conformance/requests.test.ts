import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newLab } from "./lab.ts";
import { matrix, slowTest, TO_THE_END, toATurn } from "./matrix.ts";
import { begin } from "./turn.ts";

/** Asks for a permission, and is held once it was given. */
const RISKY = "[[risky:touch asked-for]][[then]][[gate:after]][[text:finished]]";

matrix(({ program, kind }) => {
  const over = kind === "interactive" ? "waiting_input:prompt" : "stopped";

  test("permission asked and approved at once after typing", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, `[[gate:first]]${RISKY}`);
    await lab.model.asked("first");
    const asks = Date.now();
    lab.model.open("first");
    await session.at("permission asked", "waiting_input:permission", { via: toATurn(kind), causeMs: asks });
    const request = await session.asked();
    expect(request).toMatchObject({ tool: expect.any(String), request_id: expect.any(String) });
    expect(JSON.stringify(request.input)).toContain("touch asked-for");
    await lab.ok(["approve", session.id]);
    await lab.model.asked("after");
    await session.at("approved", "running", { causeMs: await session.inputGivenMs("answer") });
    expect(existsSync(join(lab.place.project, "asked-for"))).toBe(true);
    lab.model.open("after");
    await session.at("turn done", over, { via: TO_THE_END });
  });

  test("permission denied", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[risky:touch denied]]");
    await session.at("permission asked", "waiting_input:permission", { via: toATurn(kind) });
    await lab.ok(["deny", session.id]);
    await session.at("denied", over, { via: ["running", ...TO_THE_END] });
    expect(existsSync(join(lab.place.project, "denied"))).toBe(false);
  });

  test("permission answered too late", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, RISKY);
    await session.at("permission asked", "waiting_input:permission", { via: toATurn(kind) });
    const { request_id: request } = await session.asked();
    await lab.ok(["approve", session.id, "--request", request]);
    await lab.model.asked("after");
    await session.at("approved", "running");
    const late = await lab.rollcall(["deny", session.id, "--request", request, "--json"]);
    expect(late).toMatchObject({ code: 4, error: { code: "no_request" } });
    await session.stays("answered too late", "running", 300);
    lab.model.open("after");
    await session.at("turn done", over, { via: TO_THE_END });
  });

  test("two permissions, one after the other", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[risky:touch one]][[risky:touch two]]");
    await session.at("first permission", "waiting_input:permission", { via: toATurn(kind) });
    const first = await session.asked();
    expect(JSON.stringify(first.input)).toContain("touch one");
    await lab.ok(["approve", session.id]);
    await session.at("second permission", "waiting_input:permission", { via: ["running"] });
    const second = await session.asked();
    expect(JSON.stringify(second.input)).toContain("touch two");
    expect(second.request_id).not.toBe(first.request_id);
    await lab.ok(["approve", session.id]);
    await session.at("both done", over, { via: ["running", ...TO_THE_END] });
    for (const name of ["one", "two"]) expect(existsSync(join(lab.place.project, name))).toBe(true);
  });

  slowTest("permission left open for 90 s", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[risky:touch late]]");
    await session.at("permission asked", "waiting_input:permission", { via: toATurn(kind) });
    await session.stays("permission open for 90 s", "waiting_input:permission", 90_000);
    await lab.ok(["approve", session.id]);
    await session.at("approved late", over, { via: ["running", ...TO_THE_END] });
  });
});

matrix(
  ({ program, kind }) => {
    // The title of Gemini CLI says that a person is needed, its screen for what.
    const onTheWay = [...toATurn(kind), ...(program === "gemini" ? ["waiting_input:permission"] : [])];

    test("question asked and answered", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "[[ask:Which one?|A|B]][[then]][[gate:after]][[text:fine]]");
      const asking = await session.at("question asked", "waiting_input:question", { via: onTheWay });
      expect(asking.waiting).toMatchObject({ question: "Which one?", options: ["A", "B"] });
      await lab.ok(["answer", session.id, "B"]);
      await lab.model.asked("after");
      await session.at("answered", "running", { causeMs: await session.inputGivenMs("answer") });
      lab.model.open("after");
      const over = kind === "interactive" ? "waiting_input:prompt" : "stopped";
      await session.at("turn done", over, { via: TO_THE_END });
      expect(JSON.stringify(await session.entries())).toMatch(/Which one.*B/s);
    });

    test("question interrupted", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "[[ask:Which one?|A|B]]");
      await session.at("question asked", "waiting_input:question", { via: onTheWay });
      // A question is no permission.
      expect(await lab.rollcall(["deny", session.id])).toMatchObject({ code: 4 });
      await lab.ok(["interrupt", session.id]);
      const over = kind === "interactive" ? "waiting_input:prompt" : "stopped";
      await session.at("interrupted", over, { via: ["running", ...TO_THE_END] });
    });
  },
  { programs: ["claude", "gemini", "opencode"] },
);
