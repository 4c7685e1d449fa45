import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { ensureDaemon } from "./start-daemon.ts";

interface Place extends Disposable {
  readonly home: string;
  options(env?: NodeJS.ProcessEnv): Parameters<typeof ensureDaemon>[0];
}

/** A place whose daemon is a script of the test. */
function placeOf(script: string): Place {
  const folder = tempFolder();
  const home = join(folder.path, "state");
  const program = join(folder.path, "daemon.cjs");
  writeFileSync(program, script);
  return {
    home,
    options: (env = {}) => ({ home, folder: join(home, "run"), program, env }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe("starting the daemon", () => {
  test("is refused inside a session, and nothing is started", async () => {
    using place = placeOf(`require("node:fs").writeFileSync(__filename + ".ran", "")`);
    const options = place.options({ ROLLCALL_SESSION_ID: "s" });
    await expect(ensureDaemon(options)).rejects.toMatchObject({ code: "daemon_not_running" });
    expect(existsSync(`${options.program}.ran`)).toBe(false);
  });

  test.each([
    ["what it says", `console.log("the store is on fire")`, /: the store is on fire\.$/],
    ["how it crashed", `throw new Error("oops")`, /Node\.js v|oops/],
    ["that it said nothing", "", "it said nothing"],
  ])("tells %s when it cannot start", async (_what, script, why) => {
    using place = placeOf(script);
    await expect(ensureDaemon(place.options())).rejects.toMatchObject({
      code: "daemon_failed",
      message: expect.stringMatching(why),
    });
  });

  test("tells when it is gone again", async () => {
    using place = placeOf(`console.log("ready")`);
    await expect(ensureDaemon(place.options())).rejects.toMatchObject({ code: "daemon_failed" });
  });

  test("gives it the state folder and a folder of its own for errors, for the user alone", async () => {
    using place = placeOf(
      `console.error(process.env.ROLLCALL_HOME + " " + process.cwd()); console.log("ready")`,
    );
    await expect(ensureDaemon(place.options({ ROLLCALL_HOME: "/elsewhere" }))).rejects.toThrow("gone again");
    const errors = join(place.home, "daemon.err");
    expect(readFileSync(errors, "utf8")).toBe(`${place.home} /\n`);
    expect([statSync(place.home).mode & 0o777, statSync(errors).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test("says where nothing can be written", async () => {
    using place = placeOf("");
    writeFileSync(place.home, "");
    await expect(ensureDaemon(place.options())).rejects.toMatchObject({
      code: "daemon_failed",
      message: `${join(place.home, "daemon.err")} cannot be written.`,
    });
  });
});
