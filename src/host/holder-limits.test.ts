// What a machine may lack: room on the disk, descriptors, dnotify, or the session's folder itself.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, renameSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectHolder, endByFile } from "./holder.ts";
import {
  findProcess,
  floodBytes,
  hasCompiler,
  holderBinary,
  isAlive,
  program,
  startSession,
  until,
} from "./holder-bench.ts";
import { readSpool } from "./holder-files.ts";

const MB = 1024 * 1024;
const canRun = (tool: string, ...args: string[]) => spawnSync(tool, args).status === 0;
const canMount = process.getuid?.() === 0 && canRun("unshare", "-m", "true");
const canFilter = hasCompiler && canRun(program("no_dnotify"), "true");
if (!canMount) process.stdout.write("not run: the holder on a full disk needs root, to mount a small one\n");
if (!canFilter) process.stdout.write("not run: the holder without dnotify needs seccomp, to take it away\n");

/** A holder that is started through a script, which takes something away from it. */
function wrappedHolder(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), "rh-wrap-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "holder");
  writeFileSync(path, `#!/bin/sh\n${script.replaceAll("HOLDER", holderBinary)}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** A folder with so little room that a session fills it. */
class SmallDisk implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), "rh-disk-"));

  constructor(bytes: number) {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes},mode=0700`, "tmpfs", this.dir]);
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.dir);
    return bavail * bsize;
  }

  [Symbol.dispose](): void {
    execFileSync("umount", ["-l", this.dir]);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

describe.skipIf(!hasCompiler || !canMount)("on a full disk", () => {
  test("a terminal goes on with the newest bytes, and its exit is written", async () => {
    using disk = new SmallDisk(2 * MB);
    const dir = join(disk.dir, "s");
    await using session = await startSession([program("probe"), "flood", String(8 * MB)], {
      dir,
      host: "pty",
    });
    expect(await session.ended()).toMatchObject({
      agent: { code: 0 },
      reason: "exited",
      tree: { state: "empty" },
    });
    const { low, bytes } = readSpool(dir, "out");
    expect(low).toBeGreaterThan(5 * MB);
    expect(bytes.equals(floodBytes(8 * MB).subarray(low))).toBe(true);
  });

  test("the writer of a pipe waits for room and loses nothing", async () => {
    using disk = new SmallDisk(2 * MB);
    const dir = join(disk.dir, "s");
    await using session = await startSession([program("probe"), "flood", String(4 * MB)], { dir });
    await until(() => (disk.freeBytes < 4096 ? true : undefined), "a full disk");
    await using client = await session.connect({ role: "control", from: 0 });
    expect((await client.status()).agent.alive).toBe(true);
    while (!client.isClosed) {
      client.holder.acknowledge("out", client.output().length);
      await delay(50);
    }
    expect(client.output().equals(floodBytes(4 * MB))).toBe(true);
  });

  test("an exit is written into room set aside for it", async () => {
    using disk = new SmallDisk(MB);
    const dir = join(disk.dir, "s");
    await using session = await startSession([program("stubborn")], { dir });
    await session.says("ready");
    spawnSync("sh", ["-c", `cat /dev/zero > ${join(disk.dir, "filler")} 2>/dev/null`]);
    expect(disk.freeBytes).toBe(0);
    process.kill(session.pids.agent, "SIGKILL");
    expect((await session.ended()).agent.signal).toBe("SIGKILL");
    rmSync(join(disk.dir, "filler"));
  });
});

describe.skipIf(!hasCompiler)("without", () => {
  test("a folder any more, a session runs on and ends without a trace", async () => {
    await using session = await startSession(["sh", "-c", "read x; exec yes"], { host: "pty" });
    await using client = await session.connect();
    const away = `${session.dir}-away`;
    renameSync(session.dir, away);
    rmSync(away, { recursive: true });
    client.holder.input("go\n");
    await client.shows("y\r\ny\r\n");
    process.kill(session.pids.holder, "SIGTERM");
    await until(() => Object.values(session.pids).every((pid) => !isAlive(pid)) || undefined, "all to leave");
    // The end of the block looks for what is left in the folder.
    execFileSync("mkdir", [session.dir]);
  });

  test("free descriptors, it does not spin, and takes those who wait when one is free again", async () => {
    const binary = wrappedHolder('ulimit -n 24; exec "HOLDER" "$@"');
    await using session = await startSession([program("stubborn")], { binary });
    await using first = await session.connect();
    const many = await Promise.all(
      Array.from({ length: 40 }, () => connectHolder(session.dir, { role: "view" })),
    );
    const before = findProcess(session.pids.holder)?.cpuTicks ?? 0;
    await delay(300);
    expect((findProcess(session.pids.holder)?.cpuTicks ?? 0) - before).toBeLessThanOrEqual(2);
    expect((await first.status()).agent.alive).toBe(true);
    await Promise.all(many.map((connection) => connection[Symbol.asyncDispose]()));
    await using late = await session.connect();
    expect((await late.status()).agent.alive).toBe(true);
  });

  test.each(["pty", "pipe"] as const)("leave to write large files, a %s loses nothing", async (host) => {
    const binary = wrappedHolder('ulimit -f 128; exec "HOLDER" "$@"');
    await using session = await startSession([program("probe"), "flood", "300000"], { host, binary });
    expect(await session.ended()).toMatchObject({ agent: { code: 0 }, reason: "exited" });
    expect(session.spooled().equals(floodBytes(300_000))).toBe(true);
  });

  test.skipIf(!canFilter)("dnotify, the control file is still seen", async () => {
    const binary = wrappedHolder(`exec "${program("no_dnotify")}" "HOLDER" "$@"`);
    await using session = await startSession([program("stubborn")], { binary });
    await session.says("ready");
    await endByFile(session.dir, 0);
    expect((await session.ended()).reason).toBe("asked");
  });
});
