import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { eventServer } from "../../testing/agents/event-server.ts";
import { askServer } from "./agent-server.ts";

afterEach(() => void vi.useRealTimers());

test("a call of an agent's server carries the password and its body", async () => {
  await using http = await eventServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    response.writeHead(202).end(`${request.method} ${request.url} ${body}`);
  });
  const answer = await askServer(http.server, { method: "POST", path: "/x?y=1", body: { text: "é" } });
  expect(answer).toEqual({ status: 202, text: 'POST /x?y=1 {"text":"é"}' });
  expect(http.requests[0]?.headers).toMatchObject({
    authorization: `Basic ${Buffer.from("someone:a-password").toString("base64")}`,
    "content-type": "application/json",
  });
});

test.each(["before its answer", "within its answer"])(
  "a server that hangs %s is given up after the time limit",
  async (where) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const hung = Promise.withResolvers<void>();
    await using http = await eventServer((_, response) => {
      if (where === "within its answer") response.writeHead(200).write("half");
      hung.resolve();
    });
    const answer = askServer(http.server, { method: "GET", path: "/" });
    await hung.promise;
    vi.advanceTimersByTime(5000);
    await expect(answer).rejects.toThrow("The server did not answer within 5 s.");
  },
);

test("a server that redirects is not followed", async () => {
  await using other = await eventServer((_, response) => void response.end());
  await using http = await eventServer((_, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${other.server.port}/` }).end();
  });
  expect(await askServer(http.server, { method: "GET", path: "/" })).toMatchObject({ status: 302 });
  expect(other.requests).toEqual([]);
});

test("a path that looks like another server's address stays at the agent's own", async () => {
  await using http = await eventServer((request, response) => void response.end(request.url));
  for (const path of ["//example.org/x", "/@example.org", "/..//"])
    expect(await askServer(http.server, { method: "GET", path })).toEqual({ status: 200, text: path });
});

test("a proxy of the environment learns nothing of a call to an agent's server", async () => {
  await using http = await eventServer((_, response) => void response.end("direct"));
  await using proxy = await eventServer((_, response) => void response.end("by proxy"));
  const url = `http://127.0.0.1:${proxy.server.port}`;
  const code = `import(${JSON.stringify(join(import.meta.dirname, "agent-server.ts"))})
    .then(({ askServer }) => askServer(${JSON.stringify(http.server)}, { method: "GET", path: "/" }))
    .then(({ text }) => console.log(text))`;
  const env = {
    PATH: process.env.PATH,
    NODE_USE_ENV_PROXY: "1",
    HTTP_PROXY: url,
    http_proxy: url,
    ALL_PROXY: url,
  };
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", code], { env });
  expect([stdout, proxy.requests]).toEqual(["direct\n", []]);
});
