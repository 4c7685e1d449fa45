import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { encodeFrame } from "./frames.ts";
import { hasCompiler, program, startSession, until } from "./holder-bench.ts";

const MB = 1024 * 1024;
const FLOOD = 64 * MB;
/** What the holder may be ahead, and what fits into its own buffers and those of the socket. */
const AHEAD = 3 * MB;
const flood = [program("probe"), "flood", String(FLOOD)];

/** In control, and reads nothing before it is told to. */
function controlled(dir: string): Socket {
  const socket = connect(join(dir, "socket"));
  socket.pause();
  socket.write(encodeFrame("H", JSON.stringify({ role: "control", from: 0, err_from: 0 })));
  return socket;
}

describe.skipIf(!hasCompiler)("an agent that writes faster than it is read", () => {
  test.each(["pty", "pipe"] as const)(
    "waits for who is in control (%s), and nothing is dropped",
    async (host) => {
      await using session = await startSession(["sh", "-c", `read x; ${flood.join(" ")}; sleep 60`], {
        host,
      });
      const slow = controlled(session.dir);
      try {
        await using client = await session.connect({ role: "control" });
        client.holder.input("go\n");
        await until(() => (session.spooled().length > MB ? true : undefined), "the flood to begin");
        await delay(500);
        const { out } = await client.status();
        expect(out.dropped).toBe(0);
        expect(out.high).toBeLessThan(AHEAD);
      } finally {
        slow.destroy();
      }
    },
  );

  test("waits no more once its end has begun", async () => {
    await using session = await startSession(
      ["sh", "-c", `trap '${flood.join(" ")}; exit 3' TERM; echo up; read x; read y`],
      {
        host: "pty",
      },
    );
    const slow = controlled(session.dir);
    try {
      await using client = await session.connect({ role: "control", from: 0 });
      await client.shows("up");
      client.holder.end(20_000);
      expect(await session.ended()).toMatchObject({ agent: { code: 3 }, tree: { state: "empty" } });
    } finally {
      slow.destroy();
    }
  });

  test("goes on when who is in control takes nothing for ten seconds", { timeout: 40_000 }, async () => {
    await using session = await startSession(["sh", "-c", `read x; ${flood.join(" ")}; sleep 60`], {
      host: "pty",
    });
    const stopped = controlled(session.dir);
    try {
      await using client = await session.connect({ role: "control" });
      client.holder.input("go\n");
      await until(
        async () => ((await client.status()).out.dropped > 0 ? true : undefined),
        "the flood to go on",
      );
    } finally {
      stopped.destroy();
    }
  });
});
