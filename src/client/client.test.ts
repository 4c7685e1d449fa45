import { spawn } from "node:child_process";
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

/** Takes connections into its queue, greets nobody, and leaves. */
const LEAVING = `
  const server = require("node:net").createServer().listen(process.argv[1], () => {
    process.stdout.write("up");
    const end = Date.now() + 300;
    while (Date.now() < end);
    process.exit();
  });
`;

test("a daemon that leaves before it has greeted anyone is none", async () => {
  using folder = tempFolder();
  const daemon = spawn(process.execPath, ["-e", LEAVING, join(folder.path, "daemon.sock")]);
  await once(daemon.stdout, "data");
  const clients = Array.from({ length: 50 }, async () => connectDaemon(folder.path));
  expect(new Set(await Promise.all(clients))).toEqual(new Set([undefined]));
});
