import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { newLab } from "./lab.ts";
import { matrix } from "./matrix.ts";
import { KINDS } from "./not-offered.ts";

const PATHS = ["/event", "/session", "/session/status", "/permission", "/config", "/doc", "/global/health"];

matrix(
  ({ program, kind }) => {
    test("its server answers nobody without the password", async () => {
      await using lab = await newLab(program);
      const session = await lab.start(kind);
      await lab.ok(["wait", session.id, "--until", "waiting_input", "--timeout", "60s"]);
      const pid = await session.pid();
      const url = `http://127.0.0.1:${portOf(pid)}`;
      expect(listeningOf(pid)).toEqual([`127.0.0.1:${portOf(pid)}`]);
      await using page = await otherPort();
      const strangers = [
        {},
        { authorization: basic("opencode:") },
        { authorization: basic("opencode:wrong") },
        // A page of another port sends its origin along.
        { origin: page.url, "sec-fetch-site": "same-site" },
      ];
      for (const headers of strangers)
        for (const path of PATHS)
          expect([path, await statusOf(url + path, { headers })]).toEqual([path, 401]);
      const post = {
        method: "POST",
        headers: { origin: page.url, "content-type": "text/plain" },
        body: "{}",
      };
      expect(await statusOf(`${url}/session`, post)).toBe(401);
      await expect(fetch(url.replace("127.0.0.1", "127.0.0.2"))).rejects.toThrow();
    });
  },
  { programs: ["opencode"], kinds: [...KINDS, "acp"] },
);

/** As the program was told; the password is in its environment, which no other user can read. */
function portOf(pid: number): number {
  const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return Number(words[words.indexOf("--port") + 1]);
}

/** Every address and port at which this process and its children listen, from the tables of the kernel. */
function listeningOf(pid: number): string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  const folders = [pid, ...children].map((one) => `/proc/${one}/fd`);
  const own = new Set(folders.flatMap((fds) => readdirSync(fds).map((fd) => linkOf(`${fds}/${fd}`))));
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === "0A" && own.has(`socket:[${inode}]`))
      .map(([, at = ""]) => addressOf(at)),
  );
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** The kernel writes an address of IPv4 backwards, in hexadecimal digits. */
function addressOf(at: string): string {
  const [host = "", port = ""] = at.split(":");
  const numbers = (host.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)).reverse();
  return `${host.length === 8 ? numbers.join(".") : host}:${Number.parseInt(port, 16)}`;
}

async function statusOf(url: string, init: RequestInit): Promise<number> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) });
  await answer.body?.cancel();
  return answer.status;
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

/** Stands for a page that a browser on this machine shows. */
async function otherPort(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () => new Promise((closed) => server.close(() => closed())),
  };
}
