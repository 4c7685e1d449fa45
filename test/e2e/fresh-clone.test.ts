import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const isFull = process.env.ROLLCALL_E2E === "full";
/** CI has run the tests in a fresh clone already; there, starting it is what is left to try. */
const COMMANDS = isFull ? ["npm ci && npm start", "npm ci && npm test"] : ["npm ci && npm start"];

describe.each(["20", "24"])("in a fresh clone with an empty cache and HOME, on Node %s", (major) => {
  let place: string;
  let node: string;

  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), "rc-e2e-"));
    for (const folder of ["home", "cache", "node"]) mkdirSync(join(place, folder));
    execFileSync("git", ["clone", "-q", root, join(place, "rollcall")]);
    execFileSync("npm", ["install", "--silent", "--prefix", join(place, "node"), `node@${major}`], {
      stdio: "inherit",
    });
    node = join(place, "node", "node_modules", "node", "bin");
  });

  afterAll(() => rmSync(place, { recursive: true, force: true }));

  async function run(command: string): Promise<{ status: number | null; output: string }> {
    const env = {
      HOME: join(place, "home"),
      PATH: `${node}:/usr/local/bin:/usr/bin:/bin`,
      npm_config_cache: join(place, "cache"),
      TMPDIR: tmpdir(),
      ...registrySettings(),
      // Nothing may be compiled by npm: that needs Python, and headers from another server.
      npm_config_nodedir: join(place, "no-headers"),
    };
    const child = spawn("sh", ["-c", command], {
      cwd: join(place, "rollcall"),
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const heard = (data: Buffer) => {
      output += data.toString();
      leaveOnceShown(output);
    };
    child.stdout.on("data", heard);
    child.stderr.on("data", heard);
    const [status] = (await once(child, "close")) as [number | null];
    return { status, output };
  }

  test("the version is the one that was asked for", async () => {
    expect((await run("node --version")).output).toMatch(new RegExp(`^v${major}\\.`));
  });

  test.each(COMMANDS)("%s works and leaves HOME alone", async (command) => {
    const { status, output } = await run(command);
    expect(output).toContain(
      command.endsWith("start")
        ? "Everything has ended; no process is left."
        : "No process and no socket was left behind",
    );
    expect(status).toBe(0);
    expect(readdirSync(join(place, "home")).filter((name) => name === ".rollcall")).toEqual([]);
  });

  test("npx rollcall is the command", async () => {
    const { status, output } = await run("npx rollcall --version");
    expect(status).toBe(0);
    expect(output).toContain(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
  });
});

/** `npm start` goes on until it is told to leave; without a terminal it says whom to tell. */
function leaveOnceShown(output: string): void {
  const pid = /SIGTERM to this process \((\d+)\)/.exec(output)?.[1];
  const isOver = output.includes("Everything has ended");
  if (pid !== undefined && output.includes("rollcall approve demo-deploy") && !isOver)
    process.kill(Number(pid), "SIGTERM");
}

/** How this machine reaches the registry; nothing else of the user's settings comes along. */
function registrySettings(): Record<string, string> {
  const names = [
    "npm_config_registry",
    "npm_config_cafile",
    "NODE_EXTRA_CA_CERTS",
    "HTTPS_PROXY",
    "https_proxy",
    "SSL_CERT_FILE",
  ];
  const given = names
    .filter((name) => process.env[name] !== undefined)
    .map((name) => [name, process.env[name] as string]);
  const userFile = join(process.env.HOME ?? "/", ".npmrc");
  return {
    ...Object.fromEntries(given),
    ...(existsSync(userFile) ? { npm_config_userconfig: userFile } : {}),
  };
}
