import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs a module in a real process of its own and returns what it printed; fails as it failed, unless it may be killed. */
export async function runInChild(script: string, { mayDie = false } = {}): Promise<string> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (data: Buffer) => (out += data.toString()));
  child.stderr.on("data", (data: Buffer) => (err += data.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0 && !(mayDie && code === null))
    throw new Error(`The child process ended with ${code}: ${err}`);
  return out;
}
