import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../domain/json.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { limitsOf, loadConfig } from "./settings.ts";

const SESSION = { agentType: "claude", purpose: "review", cwd: "/work/app" } as const;

/** The limits of a session by these files. */
function resolve(
  user: JsonObject,
  project: JsonObject = {},
  session: Parameters<typeof limitsOf>[1] = SESSION,
) {
  using folder = tempFolder();
  const [home, workspace] = ["home", "workspace"].map((name) => join(folder.path, name)) as [string, string];
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(workspace);
  writeFileSync(join(home, "config.json"), JSON.stringify({ session: user }));
  writeFileSync(join(workspace, ".rollcall.json"), JSON.stringify({ session: project }));
  return limitsOf(loadConfig(home, workspace), session);
}

const NONE = { timeout: null, idle_timeout: null, max_cost: null, max_tokens: null };
const usd = (amount: number) => amount * 1_000_000_000;

describe("the limits of a session by the settings", () => {
  test("are none by default, and the general ones where no other fits", () => {
    expect(resolve({})).toEqual(NONE);
    const general = { max_cost: 0.5, max_tokens: "1000", timeout: "2h", idle_timeout: "5m" };
    const expected = { max_cost: usd(0.5), max_tokens: 1000, timeout: 7_200_000, idle_timeout: 300_000 };
    expect(resolve(general)).toEqual(expected);
    const others = {
      by_agent: { codex: { max_cost: 9 } },
      by_purpose: { build: { max_cost: 9 } },
      by_folder: { "/work/ap": { max_cost: 9 }, "/work/app/below": { max_cost: 9 } },
    };
    expect(resolve({ ...general, ...others })).toEqual(expected);
  });

  test("are the most specific ones, each kind on its own: folder, purpose, agent, general", () => {
    const settings = {
      ...{ max_cost: 1, max_tokens: 1, timeout: "1h", idle_timeout: "1m" },
      by_agent: { claude: { max_cost: 2, max_tokens: 2, timeout: "2h" } },
      by_purpose: { review: { max_cost: 3, max_tokens: 3 } },
      by_folder: { "/work": { max_cost: 4, max_tokens: 4 }, "/work/app/": { max_cost: "none" } },
    };
    expect(resolve(settings)).toEqual({
      ...{ max_cost: null, max_tokens: 4, timeout: 7_200_000, idle_timeout: 60_000 },
    });
  });

  test.each([
    ["lowers the general one", { max_cost: 5 }, { max_cost: 2 }, usd(2)],
    ["does not raise it", { max_cost: 5 }, { max_cost: 9 }, usd(5)],
    ["does not remove it", { max_cost: 5 }, { max_cost: "none" }, usd(5)],
    ["sets one where there is none", {}, { max_cost: 9 }, usd(9)],
    ["lowers a specific one", { by_agent: { claude: { max_cost: 5 } } }, { max_cost: 2 }, usd(2)],
    ["does not raise a specific one", { by_agent: { claude: { max_cost: 5 } } }, { max_cost: 9 }, usd(5)],
  ])("of a project: it %s", (_, user, project, expected) => {
    expect(resolve(user, project).max_cost).toBe(expected);
  });

  test("of a project cannot lift a time-out of the user either", () => {
    expect(resolve({ timeout: "1h" }, { timeout: "none", idle_timeout: "1m" })).toMatchObject({
      ...{ timeout: 3_600_000, idle_timeout: 60_000 },
    });
  });

  test("by agent, purpose and folder are no matter of a project", () => {
    const project = { by_agent: { claude: { max_cost: "none" } }, by_folder: { "/": { max_cost: "none" } } };
    expect(resolve({ max_cost: 5 }, project).max_cost).toBe(usd(5));
  });

  test.each([
    [{ max_cost: 0 }, "session.max_cost"],
    [{ max_cost: "1e400" }, "session.max_cost"],
    [{ max_cost: 0.0000000001 }, "session.max_cost"],
    [{ max_tokens: 1.5 }, "session.max_tokens"],
    [{ by_agent: { nobody: {} } }, "session.by_agent"],
    [{ by_agent: { claude: { max_cost: -1 } } }, "session.by_agent"],
    [{ by_folder: { relative: {} } }, "session.by_folder"],
    [{ by_purpose: { review: { cost: 1 } } }, "session.by_purpose"],
  ])("%j is refused", (user, name) => {
    expect(() => resolve(user as JsonObject)).toThrow(name);
  });
});
