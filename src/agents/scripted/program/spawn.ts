import type { Readable } from "node:stream";

interface Shape {
  readonly script: string;
  /** The shell where `sh` does not do. */
  readonly shell?: string;
  /** In a session of its own, from the start. */
  readonly isDetached?: boolean;
  readonly isSilent?: boolean;
  readonly hasNoEnv?: boolean;
}

/** No test may leave one for ever. */
const STAY = "exec sleep 300 3>&-";
const LEAVE_ONE = "sleep 300 3>&- & echo $! >&3";
const LEAVE_DAEMON = "cd /; sleep 300 <&- >&- 2>&- 3>&- & echo $! >&3";

/** Children that try to outlive their session; each tells its pid on descriptor 3. */
const SHAPES: Readonly<Record<string, Shape>> = {
  plain: { script: `echo $$ >&3; ${STAY}` },
  // Only bash gives a group of its own to a job without a terminal.
  disown: { shell: "bash", script: `set -m; ${LEAVE_ONE}; disown` },
  nohup: { script: `trap '' HUP; echo $$ >&3; ${STAY}` },
  stubborn: { script: `trap '' HUP INT TERM; echo $$ >&3; ${STAY}` },
  setsid: { script: `echo $$ >&3; ${STAY}`, isDetached: true },
  "double-fork": { script: LEAVE_ONE, isDetached: true },
  detached: { script: `echo $$ >&3; ${STAY}`, isDetached: true, isSilent: true },
  "env-i": { script: `echo $$ >&3; ${STAY}`, isDetached: true, hasNoEnv: true },
  daemon: { script: LEAVE_DAEMON, isDetached: true, hasNoEnv: true },
};

const SERVER = `
  const server = require("node:net").createServer((socket) => socket.end("hello\\n"));
  server.listen(0, "127.0.0.1", () => require("node:fs").writeSync(3, String(server.address().port)));
  setTimeout(() => process.exit(), 300_000);
`;

/** Returns a sentence that names the pid, or the port. */
export async function startShape(name: string): Promise<string> {
  if (name === "server") {
    const server = await start(process.execPath, ["-e", SERVER], { isSilent: true });
    return `Spawned server with pid ${server.pid} on port ${server.said}.`;
  }
  const shape = SHAPES[name];
  if (!shape) throw new Error(`${name} is not one of ${[...Object.keys(SHAPES), "server"].join(", ")}`);
  const { said } = await start(shape.shell ?? "/bin/sh", ["-c", shape.script], shape);
  return `Spawned ${name} with pid ${said}.`;
}

async function start(
  command: string,
  args: string[],
  { isDetached = false, isSilent = false, hasNoEnv = false }: Partial<Shape>,
): Promise<{ readonly pid: number; readonly said: string }> {
  const { spawn } = await import("node:child_process");
  const stream = isSilent ? "ignore" : "inherit";
  const child = spawn(command, args, {
    detached: isDetached,
    stdio: [stream, stream, stream, "pipe"],
    env: hasNoEnv ? {} : process.env,
  });
  const said = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    (child.stdio[3] as Readable).once("data", (data: Buffer) => resolve(data.toString().trim()));
  });
  child.stdio[3]?.destroy();
  child.unref();
  return { pid: child.pid as number, said };
}
