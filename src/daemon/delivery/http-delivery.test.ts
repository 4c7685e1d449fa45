import { afterEach, expect, test, vi } from "vitest";
import type { AgentServer } from "../../agents/launch.ts";
import { freePort } from "../../machine/free-port.ts";
import { eventServer } from "../../testing/agents/event-server.ts";
import type { Carrying } from "../session/carrying.ts";
import { HttpDelivery } from "./http-delivery.ts";

afterEach(() => void vi.useRealTimers());

function deliveryTo(server: AgentServer | null): HttpDelivery {
  const agentPaths = { transcript: null, transcripts: null, liveFiles: null, server };
  return new HttpDelivery({ id: "s1", carrying: { agentPaths } as Carrying });
}

const DEED = { via: "http", method: "POST", path: "/message", body: { text: "hi" } } as const;

test("an HTTP call is ready to be made at any time", async () => {
  expect(await deliveryTo(null).untilReadyMs()).toBe(0);
});

test.each([200, 202, 204, 299])(
  "an HTTP call that the agent's server answers with %i is delivered",
  async (status) => {
    await using http = await eventServer(async (request, response) => {
      bodies.push((await request.toArray()).join(""));
      response.writeHead(status).end();
    });
    const bodies: string[] = [];
    await deliveryTo(http.server).deliver(DEED);
    const { body: _, ...bare } = DEED;
    await deliveryTo(http.server).deliver(bare);
    expect(bodies).toEqual(['{"text":"hi"}', ""]);
  },
);

test.each([300, 304, 400, 401, 409, 500])(
  "an HTTP call that the agent's server answers with %i is not delivered, and the error says so",
  async (status) => {
    await using http = await eventServer((_, response) => void response.writeHead(status).end());
    await expect(deliveryTo(http.server).deliver(DEED)).rejects.toMatchObject({
      code: "not_delivered",
      message: `Session s1 did not accept it: its server answers ${status}.`,
    });
  },
);

test("an HTTP call to a server that hangs is given up after the time limit", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const hung = Promise.withResolvers<void>();
  await using http = await eventServer(() => hung.resolve());
  const delivered = deliveryTo(http.server).deliver(DEED);
  await hung.promise;
  vi.advanceTimersByTime(10_000);
  await expect(delivered).rejects.toMatchObject({
    code: "not_delivered",
    message: "Session s1 did not accept it: its server does not answer.",
  });
});

test("an HTTP call where nobody listens is not delivered", async () => {
  const server = { port: await freePort(), user: "someone", password: "a-password" };
  const error = await deliveryTo(server)
    .deliver(DEED)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "not_delivered", cause: { code: "ECONNREFUSED" } });
  expect(String(error)).not.toContain("a-password");
});

test("an HTTP call to an agent without a server cannot be made", async () => {
  await expect(deliveryTo(null).deliver(DEED)).rejects.toMatchObject({ code: "wrong_state" });
});
