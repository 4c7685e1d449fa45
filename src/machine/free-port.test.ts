import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { freePort } from "./free-port.ts";

test("a free port can be listened at on loopback", async () => {
  const port = await freePort();
  const server = createServer();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  expect(server.address()).toMatchObject({ port, address: "127.0.0.1" });
  expect(await freePort()).not.toBe(port);
  server.close();
  await once(server, "close");
});
