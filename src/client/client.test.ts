import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { connectDaemon } from "./client.ts";

test("a daemon that takes connections and says nothing is given up", async () => {
  using folder = tempFolder();
  const server = createServer().listen(join(folder.path, "daemon.sock"));
  await once(server, "listening");
  try {
    await expect(connectDaemon(folder.path, 100)).rejects.toMatchObject({ code: "daemon_failed" });
  } finally {
    server.close();
    await once(server, "close");
  }
});

test("where nobody listens there is no daemon", async () => {
  using folder = tempFolder();
  expect(await connectDaemon(folder.path)).toBeUndefined();
});

test("a daemon that leaves as soon as someone has come is none", async () => {
  using folder = tempFolder();
  const server = createServer((socket) => socket.destroy()).listen(join(folder.path, "daemon.sock"));
  await once(server, "listening");
  try {
    const clients = Array.from({ length: 50 }, async () => connectDaemon(folder.path));
    expect(new Set(await Promise.all(clients))).toEqual(new Set([undefined]));
  } finally {
    server.close();
    await once(server, "close");
  }
});
