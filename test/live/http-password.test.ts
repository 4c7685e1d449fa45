import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { atPrompt, dataOf, turn } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

/** The scripted agent with its own server, at its first prompt. */
async function served(user: LiveUser, ...args: readonly string[]): Promise<string> {
  return atPrompt(user, ...args, "--", "--serve");
}

/** The agent's server of the only launch, as the launch folder has it. */
function serverOf(user: LiveUser): { readonly port: number; readonly password: string } {
  const text = readFileSync(join(user.launchFolders()[0] as string, "agent-paths"), "utf8");
  return (JSON.parse(text) as { server: { port: number; password: string } }).server;
}

async function textsOf(user: LiveUser, id: string): Promise<(string | null)[]> {
  const { entries } = await dataOf(user, id, "--tail", "1000");
  return entries.map(({ text }) => text);
}

describe("the password of an agent's server", () => {
  test("is asked of everyone, whatever name or page they come by", async () => {
    await using user = newLiveUser();
    await served(user);
    const { port, password } = serverOf(user);
    const basic = `Basic ${Buffer.from(`scripted:${password}`).toString("base64")}`;
    for (const path of ["/event", "/status", "/permission"]) {
      expect(await statusOf(port, path, {})).toBe(401);
      expect(await statusOf(port, path, { host: "evil.example", origin: "https://evil.example" })).toBe(401);
      expect(await statusOf(port, path, { authorization: basic, host: "evil.example" })).toBe(403);
      expect(await statusOf(port, path, { authorization: basic, origin: "https://evil.example" })).toBe(403);
    }
    expect(await statusOf(port, "/status", { authorization: basic })).toBe(200);
  });

  test("that is refused leaves a notice, and nothing hangs", async () => {
    await using user = newLiveUser();
    await user.ok(["config", "set", "start.ready", "2s"]);
    const { id } = await user.start(["scripted", "--", "--serve", "--hide-password"]);
    await until(
      async () => (await textsOf(user, id)).some((text) => text?.includes("refuses Rollcall's password")),
      "the notice",
    );
    expect(await user.reach(id, "unknown")).toMatchObject({ state: "unknown" });
    const sent = await user.rollcall(["send", id, "say hi", "--json"]);
    expect(sent.code).toBe(4);
    await user.ok(["end", id]);
    expect(await textsOf(user, id)).toHaveLength(1);
  });

  test("is in no record, event, log, file or command line", async () => {
    await using user = newLiveUser();
    const id = await served(user);
    const { password } = serverOf(user);
    const echo = `run tr '\\0' '\\n' < /proc/$PPID/environ`;
    await turn(user, id, echo);
    const shown = async () => {
      const answers = await Promise.all(
        [
          ["data", id, "--json"],
          ["logs", id],
          ["events", id, "--json"],
          ["explain", id],
          ["get", id, "--json"],
        ].map(async (args) => user.ok(args)),
      );
      return answers.map(({ stdout }) => stdout).join("\n");
    };
    expect(await shown()).toContain("SCRIPTED_AGENT_PASSWORD=[REDACTED");
    expect(await shown()).not.toContain(password);
    expect(placesWith(user, password)).toEqual([]);
    expect(execFileSync("ps", ["axww", "-o", "args"], { encoding: "utf8" })).not.toContain(password);
    await user.ok(["end", id]);
    expect(await shown()).not.toContain(password);
    expect(placesWith(user, password)).toEqual([]);
    expect(user.launchFolders()).toEqual([]);
  });
});

async function statusOf(port: number, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, headers }, (response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

/** Everything in the state folder and the workspace but what the agent itself has: its launch and its own transcript. */
function placesWith(user: LiveUser, text: string): string[] {
  return [user.state, user.workspace].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name))
      .filter((path) => !/\/(run|scripted)\/sessions\//.test(path) && statSync(path).isFile())
      .filter((path) => readFileSync(path).includes(text)),
  );
}
