import { mkdtempSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { startSession } from "../../../../host/holder-bench.ts";
import { freePort } from "../../../../machine/free-port.ts";
import { TerminalAgent } from "../terminal-bench.ts";

const PROGRAM = join(import.meta.dirname, "..", "main.ts");
const PATIENCE = { timeout: 20_000, interval: 10 };
const PASSWORD = "the-password-of-this-test";
const BASIC = `Basic ${Buffer.from(`scripted:${PASSWORD}`).toString("base64")}`;

/** The program in a real terminal, with its server. */
class ServedAgent extends TerminalAgent {
  port = 0;

  static async serve(...args: readonly string[]): Promise<ServedAgent> {
    const dir = mkdtempSync(join(tmpdir(), "rh-"));
    const port = await freePort();
    const env = {
      SCRIPTED_AGENT_HOME: join(dir, "agent"),
      SCRIPTED_AGENT_PORT: String(port),
      SCRIPTED_AGENT_PASSWORD: PASSWORD,
    };
    const command = [process.execPath, PROGRAM, "--serve", ...args];
    const session = await startSession(command, { host: "pty", dir, env, graceMs: 0 });
    const agent = new ServedAgent(session, await session.connect({ role: "control", from: 0 }));
    agent.port = port;
    await vi.waitFor(async () => expect(await agent.call("GET", "/status")).toBe(200), PATIENCE);
    return agent;
  }

  /** The status of the answer; undefined where nobody listens. */
  async call(method: string, path: string, body?: object, headers = {}): Promise<number | undefined> {
    return new Promise((resolve) => {
      const options = { host: "127.0.0.1", port: this.port, method, path };
      request({ ...options, headers: { authorization: BASIC, ...headers } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", () => resolve(undefined))
        .end(body === undefined || method === "GET" ? undefined : JSON.stringify(body));
    });
  }

  async get(path: string): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      headers: { authorization: BASIC },
    });
    return (await response.json()) as Record<string, unknown>;
  }

  async pending(): Promise<{ readonly request_id: string }> {
    return vi.waitFor(async () => {
      const { requests } = (await this.get("/permission")) as { requests: { request_id: string }[] };
      return requests[0] ?? expect.fail("There is no request.");
    }, PATIENCE);
  }

  /** Events behind this one until a text comes, as ids and data. */
  async events(lastId: number, last: string): Promise<string[]> {
    const headers = { authorization: BASIC, "last-event-id": String(lastId) };
    const { body } = await fetch(`http://127.0.0.1:${this.port}/event`, { headers });
    let text = "";
    for await (const bytes of body as ReadableStream<Uint8Array>) {
      text += Buffer.from(bytes).toString();
      if (text.includes(last) && text.endsWith("\n\n")) break;
    }
    return text.split("\n\n").filter((event) => event !== "");
  }
}

const ROUTES = [
  ["GET", "/event"],
  ["GET", "/status"],
  ["GET", "/permission"],
  ["POST", "/message"],
  ["POST", "/permission/x/reply"],
  ["POST", "/question/x/reply"],
  ["POST", "/abort"],
  ["POST", "/stop"],
  ["GET", "/"],
  ["POST", "/unknown"],
] as const;

describe("the server of the scripted agent", () => {
  test("lets nobody in without its password, on any route and by any name", async () => {
    await using agent = await ServedAgent.serve();
    for (const [method, path] of ROUTES) {
      for (const authorization of ["", "Basic eDp5", BASIC.slice(0, -2)])
        expect([path, await agent.call(method, path, {}, { authorization })]).toEqual([path, 401]);
      const headers = { authorization: "", host: "evil.example", origin: "https://evil.example" };
      expect([path, await agent.call(method, path, {}, headers)]).toEqual([path, 401]);
      expect([path, await agent.call(method, path, {}, { host: "evil.example" })]).toEqual([path, 403]);
      expect([path, await agent.call(method, path, {}, { origin: "https://evil.example" })]).toEqual([
        path,
        403,
      ]);
    }
    expect(await agent.get("/status")).toMatchObject({ state: "idle", last_turn: null });
  });

  test("refuses what it does not understand, and goes on", async () => {
    await using agent = await ServedAgent.serve();
    expect(await agent.call("GET", "/nothing")).toBe(404);
    expect(await agent.call("PUT", "/message", { text: "hi" })).toBe(404);
    expect(await agent.call("POST", "/message/x", { text: "hi" })).toBe(404);
    for (const body of [{}, { text: 1 }, { text: " " }, []])
      expect(await agent.call("POST", "/message", body)).toBe(400);
    expect(await agent.call("POST", "/permission/x/reply", { reply: "once" })).toBe(409);
    expect(await agent.call("POST", "/abort")).toBe(202);
  });

  test("gives events with ids, and those behind an id to whoever resumes", async () => {
    await using agent = await ServedAgent.serve();
    expect(await agent.call("POST", "/message", { text: "say one" })).toBe(202);
    const all = await agent.events(0, '"type":"result"');
    expect(all.map((event) => /^id: (\d+)\nevent: (\w+)\n/.exec(event)?.slice(1).join(" "))).toEqual([
      ...["1 init", "2 state", "3 state", "4 user", "5 assistant", "6 result"],
      ...(all.length > 6 ? ["7 state"] : []),
    ]);
    expect(await agent.events(4, '"type":"result"')).toEqual(all.slice(4));
  });

  test("takes the answer of whoever comes first, at the terminal or over HTTP", async () => {
    await using agent = await ServedAgent.serve();
    await agent.call("POST", "/message", { text: "ask Bash ; ask Edit ; question Which? red | green" });
    const bash = await agent.pending();
    await agent.shows((screen) => screen.includes("Allow Bash"));
    expect(await agent.call("POST", `/question/${bash.request_id}/reply`, { choice: "red" })).toBe(409);
    expect(await agent.call("POST", `/permission/${bash.request_id}/reply`, { reply: "maybe" })).toBe(400);
    expect(await agent.call("POST", `/permission/${bash.request_id}/reply`, { reply: "once" })).toBe(202);
    const screen = await agent.shows((shown) => shown.includes("Allow Edit"));
    expect(screen).not.toContain("Allow Bash");
    const edit = await agent.pending();
    agent.type("n");
    await agent.shows((shown) => shown.includes("Choose 1-2:"));
    expect(await agent.call("POST", `/permission/${edit.request_id}/reply`, { reply: "once" })).toBe(409);
    const question = await agent.pending();
    expect(await agent.call("POST", `/question/${question.request_id}/reply`, { choice: "blue" })).toBe(400);
    expect(await agent.call("POST", `/question/${question.request_id}/reply`, { choice: "red" })).toBe(202);
    await agent.shows((shown) => shown.includes("Edit was denied.") && shown.includes("You chose: red"));
  });

  test("hides its password from what it runs, and leaves when it is told to", async () => {
    await using agent = await ServedAgent.serve();
    await agent.call("POST", "/message", { text: "run env ; say done" });
    const events = await agent.events(0, '"type":"result"');
    expect(events.join("")).toContain("SCRIPTED_AGENT_HOME");
    expect(events.join("")).not.toMatch(/SCRIPTED_AGENT_PASSWORD|the-password-of-this-test/);
    expect(await agent.call("POST", "/stop")).toBe(202);
    expect(await agent.exit()).toEqual({ code: 0, signal: null });
  });
});
