import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newLab } from "./lab.ts";
import { matrix, TO_THE_END, toATurn } from "./matrix.ts";
import type { Kind } from "./moments.ts";
import { begin } from "./turn.ts";

/** Asks for the same permission twice, unless the first answer is a lasting one. */
const TWICE = "[[risky:python3 -c 1]][[then]][[risky:python3 -c 1]][[then]][[gate:after]][[text:finished]]";

/** Its only lasting yes would stop it from asking for any edit. */
const EDIT = `[[call:Write ${JSON.stringify({ file_path: "asked-for", content: "x" })}]]`;

const overOf = (kind: Kind) => (kind === "interactive" ? "waiting_input:prompt" : "stopped");

matrix(({ program, kind }) => {
  test("approve --always lets the same command run again without asking", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, TWICE);
    await session.at("permission asked", "waiting_input:permission", { via: toATurn(kind) });
    await lab.ok(["approve", session.id, "--always"]);
    await lab.model.asked("after");
    await session.at("both commands run", "running");
    lab.model.open("after");
    await session.at("turn done", overOf(kind), { via: TO_THE_END });
  });
});

matrix(
  ({ program, kind }) => {
    test("approve --always is refused where no lasting yes is offered", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, EDIT);
      await session.at("permission asked", "waiting_input:permission", { via: toATurn(kind) });
      const refused = await lab.rollcall(["approve", session.id, "--always", "--json"]);
      expect(refused).toMatchObject({ code: 4, error: { code: "not_offered" } });
      await session.stays("refused", "waiting_input:permission", 300);
      await lab.ok(["approve", session.id]);
      await session.at("approved once", overOf(kind), { via: ["running", ...TO_THE_END] });
      expect(existsSync(join(lab.place.project, "asked-for"))).toBe(true);
    });
  },
  { programs: ["claude"] },
);

matrix(
  ({ program, kind }) => {
    test("deny --reason tells the reason to the model", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "[[risky:touch denied]][[then]][[gate:after]][[text:finished]]");
      await session.at("permission asked", "waiting_input:permission", { via: toATurn(kind) });
      await lab.ok(["deny", session.id, "--reason", "not on a Friday"]);
      await lab.model.asked("after");
      await session.at("denied", "running");
      expect(lab.lastTurn()?.body).toContain("not on a Friday");
      lab.model.open("after");
      await session.at("turn done", overOf(kind), { via: TO_THE_END });
      expect(existsSync(join(lab.place.project, "denied"))).toBe(false);
    });
  },
  { programs: ["claude", "opencode"] },
);
