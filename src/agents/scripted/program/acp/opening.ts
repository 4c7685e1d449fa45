import { VERSION } from "../line.ts";
import type { Options } from "../options.ts";
import type { Connection, Incoming } from "./connection.ts";

/** The conversation as the client asked for it. */
export interface Opened {
  readonly options: Options;
  /** The request that waits for its answer until the conversation is there. */
  readonly id: Incoming["id"];
  readonly method: string;
}

const OPENINGS: Readonly<Record<string, "resume" | "fork" | null>> = {
  "session/new": null,
  "session/resume": "resume",
  "session/load": "resume",
  "session/fork": "fork",
};

/** Answers until the client opens a conversation that can be had. */
export async function untilOpened(
  connection: Connection,
  given: Options,
  hasSession: (id: string) => boolean,
): Promise<Opened> {
  const { promise, resolve } = Promise.withResolvers<Opened>();
  connection.listen((message) => {
    const { id, method = "", params } = message;
    const how = OPENINGS[method] ?? null;
    const before = String(params.sessionId);
    if (method === "initialize") connection.answer(id, offers(given));
    else if (!(method in OPENINGS)) connection.refuse(id, -32601, `"Method not found": ${method}`);
    else if (given.asksLogin) connection.refuse(id, -32000, "Authentication required");
    else if (how !== null && !hasSession(before)) connection.refuse(id, -32002, "Resource not found");
    else {
      connection.hold();
      resolve({ id, method, options: { ...given, ...identityOf(how, before) } });
    }
  });
  return promise;
}

function identityOf(how: "resume" | "fork" | null, before: string): Partial<Options> {
  const own = { sessionId: crypto.randomUUID() };
  if (how === null) return own;
  return { ...(how === "resume" ? { sessionId: before } : own), continues: { how, id: before } };
}

function offers({ offered }: Options): object {
  const names = offered.filter((name) => name !== "load");
  return {
    protocolVersion: 1,
    agentInfo: { name: "scripted-agent", title: "Scripted agent", version: VERSION },
    agentCapabilities: {
      loadSession: offered.includes("load"),
      sessionCapabilities: Object.fromEntries(names.map((name) => [name, {}])),
    },
    authMethods: [{ id: "key", name: "A key" }],
  };
}
