import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { LAUNCHER } from "../cli/rollcall.ts";
import { newLab } from "./lab.ts";
import { matrix, TO_THE_END, toATurn } from "./matrix.ts";
import { begin } from "./turn.ts";

const SIGNALS = ["SIGTERM", "SIGINT", "SIGKILL"] as const;

/** Where a program leaves with 0 though a signal ended it in mid-turn, as was measured on the program. */
const LEAVES_WITH_0: readonly string[] = [
  "claude interactive SIGINT",
  "claude autonomous SIGINT",
  "codex autonomous SIGTERM",
  "opencode interactive SIGTERM",
  "opencode interactive SIGINT",
];

matrix(({ program, kind }) => {
  // Its first process starts a second one, and hears neither.
  const isSwallowed = (signal: string) => program === "gemini" && signal !== "SIGKILL";

  test.each(SIGNALS)("%s from outside", async (signal) => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[gate:never]]");
    await lab.model.asked("never");
    await session.at("turn running", "running", { via: toATurn(kind) });
    const causeMs = Date.now();
    process.kill(await session.pid(), signal);
    if (isSwallowed(signal)) {
      await session.stays(`swallowed ${signal}`, "running", 1500);
      return;
    }
    await lab.ok(["wait", session.id, "--until", "stopped,failed", "--timeout", "30s"]);
    const isClean = LEAVES_WITH_0.includes(`${program} ${kind} ${signal}`);
    const via = ["waiting_input:prompt", "stopping", "waiting_input:prompt"];
    const shown = await session.at(`left by ${signal}`, isClean ? "stopped" : "failed", { via, causeMs });
    // It left in mid-turn: its exit code is no success.
    expect(shown.outcome).toBe(isClean ? "interrupted" : "failure");
  });
});

matrix(
  ({ program, kind }) => {
    test("leaves by itself", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "[[text:good]]");
      await session.at("turn done", "waiting_input:prompt", { via: toATurn(kind) });
      await lab.rollcall(["send", session.id, "/exit"]);
      const shown = await session.at("left", "stopped", { via: ["running", ...TO_THE_END] });
      expect(shown).toMatchObject({ exit_code: 0, outcome: "success" });
    });

    test("terminal of attach closed", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "[[gate:first]][[text:hello]]");
      await lab.model.asked("first");
      await session.at("turn running", "running", { via: toATurn(kind) });
      const attach = `${process.execPath} ${LAUNCHER} attach ${session.id}`;
      const terminal = spawn("script", ["-qfec", attach, "/dev/null"], {
        env: lab.env,
        stdio: ["pipe", "pipe", "ignore"],
      });
      await once(terminal.stdout, "data");
      terminal.kill("SIGKILL");
      await once(terminal, "close");
      await session.stays("terminal closed", "running", 500);
      lab.model.open("first");
      await session.at("turn done", "waiting_input:prompt");
    });
  },
  { kinds: ["interactive"] },
);
