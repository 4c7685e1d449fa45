import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { ROOT, type Shown } from "../cli/rollcall.ts";
import { gone, isAlive, until } from "../live/user.ts";
import { Decoys } from "./decoys.ts";
import { killNow, newFaultUser, reaches } from "./fault-user.ts";
import { Place } from "./place.ts";
import { PATIENCE_MS, report } from "./scale.ts";
import { hasProgram } from "./sh.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

const NOBODY = 65534;
const reason = process.getuid?.() === 0 ? undefined : "only root may act as another user (run it as root)";
if (reason !== undefined) report(`another user and live sessions: not run: ${reason}`);

describe.skipIf(reason !== undefined)("another user of the machine", () => {
  test("reads no socket, spool, recording or log, and cannot connect, even where the folders are open", async () => {
    await using user = newFaultUser();
    using place = new Place("stranger");
    const session = await user.start(["--tmux", "--", "sh", "-c", "echo secret; exec sleep 600"]);
    await until(async () => (await user.ok(["data", session.id])).stdout.includes("secret"), "its output");
    // The walls behind the first: each file, not only the folder above it.
    const paths = below(user.state);
    const folders = [user.folder, user.state, ...paths.filter(isFolder)];
    for (const folder of folders) chmodSync(folder, 0o755);
    const stranger = strangerOf(place);
    const files = paths.filter((path) => !isFolder(path));
    expect(files.some((path) => path.endsWith("daemon.sock"))).toBe(true);
    expect(files.some((path) => path.includes("/out-"))).toBe(true);
    expect(files.some((path) => path.endsWith(".cast"))).toBe(true);
    const opened = await stranger.script(OPEN_ALL, files);
    expect(JSON.parse(opened.stdout)).toEqual([]);
    for (const folder of folders) chmodSync(folder, 0o700);
    await user.ok(["end", session.id, "--grace", "1s"]);
  });

  test("is refused in one sentence when it is pointed at the state folder of someone else", async () => {
    await using user = newFaultUser();
    using place = new Place("stranger");
    const session = await user.start(["--", "sleep", "600"]);
    chmodSync(user.folder, 0o755);
    const stranger = strangerOf(place);
    for (const args of [["status"], ["end", session.id], ["start", "-d", "--", "true"]]) {
      const answer = await stranger.rollcall(args, user.state);
      expect(answer.code).toBeGreaterThan(0);
      expect(answer.stderr.trim().split("\n").length).toBeLessThanOrEqual(2);
    }
    expect(await user.get(session.id)).toMatchObject({ state: "running" });
  });

  test("is not signalled, though it carries our marker, when what is left of a session is ended", async () => {
    await using user = newFaultUser();
    const session = await user.start(["--", "sleep", "600"]);
    const held = user.holderOf(session);
    const variables = { ROLLCALL_SESSION: held.marker, ROLLCALL_HOME: user.state };
    using decoys = new Decoys(held.marker);
    decoys.add("sleep", variables, NOBODY);
    const orphan = spawn("sleep", ["600"], { env: { ...user.env, ...variables }, stdio: "ignore" });
    await user.killDaemon();
    for (const { pid } of [held.guard, held.holder, held.agent]) await killNow(pid);
    await user.up();
    await reaches(user, session.id, { state: "unknown", end_reason: "holder_lost" });
    await gone(orphan.pid as number);
    await user.ok(["doctor", "--fix"]);
    // Nobody is left who could prove the end.
    expect((await user.rollcall(["end", session.id, "--grace", "200ms"])).code).toBe(4);
    expect(await user.get(session.id)).toMatchObject({ state: "unknown" });
    decoys.expectUntouched();
  });

  test("has a daemon and sessions of its own beside mine", async () => {
    await using user = newFaultUser();
    using place = new Place("stranger");
    const mine = await user.start(["--", "sleep", "600"]);
    const stranger = strangerOf(place);
    const theirs = JSON.parse(
      (await stranger.rollcall(["start", "-d", "--json", "--", "sleep", "600"])).stdout,
    ) as Shown;
    expect(theirs).toMatchObject({ state: "running" });
    const down = await stranger.rollcall(["down", "--end-all", "--grace", "1s"]);
    expect(down).toMatchObject({ code: 0 });
    await gone(pidOf(theirs));
    expect(isAlive(pidOf(mine))).toBe(true);
    expect(await user.get(mine.id)).toMatchObject({ state: "running" });
  });

  const noPrlimit = hasProgram("prlimit") ? undefined : "prlimit is missing (apt-get install util-linux)";
  if (noPrlimit !== undefined) report(`no more processes: not run: ${noPrlimit}`);
  test.skipIf(noPrlimit !== undefined)(
    "where the system allows no more processes, a start says so and sessions are fine",
    async () => {
      using place = new Place("stranger");
      const stranger = strangerOf(place);
      const session = JSON.parse(
        (await stranger.rollcall(["start", "-d", "--json", "--", "cat"])).stdout,
      ) as Shown;
      const { daemon } = JSON.parse((await stranger.rollcall(["status", "--json"])).stdout) as {
        daemon: { pid: number };
      };
      await stranger.limit(daemon.pid, "--nproc=1:");
      const refused = await stranger.rollcall(["start", "-d", "--", "sleep", "600"]);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("no more processes") });
      expect((await stranger.rollcall(["get", session.id])).stdout).toContain("running");
      expect(await stranger.rollcall(["send", session.id, "still here"])).toMatchObject({ code: 0 });
      await stranger.limit(daemon.pid, "--nproc=10000:");
      expect(await stranger.rollcall(["start", "-d", "--", "sleep", "600"])).toMatchObject({ code: 0 });
      expect(await stranger.rollcall(["down", "--end-all", "--grace", "1s"])).toMatchObject({ code: 0 });
    },
  );
});

const OPEN_ALL = `
  const { openSync, statSync } = require("node:fs");
  const net = require("node:net");
  const opened = [];
  const tries = process.argv.slice(1).map((path) => new Promise((done) => {
    try {
      if (statSync(path).isSocket()) {
        const socket = net.connect(path, () => { opened.push(path); socket.destroy(); done(); });
        socket.on("error", () => done());
        return;
      }
      openSync(path, "r");
      opened.push(path);
    } catch {}
    done();
  }));
  Promise.all(tries).then(() => console.log(JSON.stringify(opened)));
`;

interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Stranger {
  rollcall(args: readonly string[], home?: string): Promise<Said>;
  script(text: string, args: readonly string[]): Promise<Said>;
  /** As the user itself: even root may lack the right to limit someone else. */
  limit(pid: number, limit: string): Promise<void>;
}

/** Someone who may not read our copy of the programs, and so has one. */
function strangerOf(place: Place): Stranger {
  const copy = place.folder("copy");
  chmodSync(place.root, 0o755);
  for (const name of ["bin", "dist", "package.json", ...packagesOf("better-sqlite3")])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true, dereference: true });
  const node = join(copy, "node");
  cpSync(process.execPath, node);
  const home = place.folder("nobody");
  chownSync(home, NOBODY, NOBODY);
  mkdirSync(join(copy, "dist", "cache"), { recursive: true });
  const say = async (args: readonly string[], state: string, program = node): Promise<Said> => {
    const env = { ...place.env, HOME: home, ROLLCALL_HOME: state };
    const child = spawn(program, args, {
      env,
      cwd: home,
      uid: NOBODY,
      gid: NOBODY,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const)
      child[stream].on("data", (data: Buffer) => {
        said[stream] += data.toString();
      });
    const [code] = (await once(child, "close")) as [number | null];
    return { code, ...said };
  };
  const launcher = join(copy, "bin", "rollcall.cjs");
  return {
    rollcall: (args, state = join(home, "state")) => say([launcher, ...args], state),
    limit: async (pid, limit) => {
      expect(await say(["--pid", String(pid), limit], home, "prlimit")).toMatchObject({ code: 0 });
    },
    script: (text, args) => say(["-e", text, ...args], join(home, "state")),
  };
}

/** The folder of a package and of everything it needs. */
function packagesOf(name: string): string[] {
  const folder = join("node_modules", name);
  const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));
  return [folder, ...Object.keys(dependencies).flatMap((needed) => packagesOf(needed))];
}

function below(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
    join(entry.parentPath, entry.name),
  );
}

function isFolder(path: string): boolean {
  return statSync(path).isDirectory();
}

function pidOf(session: Shown): number {
  return (session.process as { pid: number }).pid;
}
