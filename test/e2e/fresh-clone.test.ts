import { execFileSync, spawnSync } from "node:child_process";
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

  function run(command: string): { status: number | null; output: string } {
    const env = {
      HOME: join(place, "home"),
      PATH: `${node}:/usr/local/bin:/usr/bin:/bin`,
      npm_config_cache: join(place, "cache"),
      TMPDIR: tmpdir(),
      ...registrySettings(),
    };
    const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
      cwd: join(place, "rollcall"),
      env,
      encoding: "utf8",
      maxBuffer: 64e6,
    });
    return { status, output: stdout + stderr };
  }

  test("the version is the one that was asked for", () => {
    expect(run("node --version").output).toMatch(new RegExp(`^v${major}\\.`));
  });

  test.each(COMMANDS)("%s works and leaves HOME alone", (command) => {
    const { status, output } = run(command);
    expect(output).toContain(
      command.endsWith("start") ? "live sessions" : "No process and no socket was left behind",
    );
    expect(status).toBe(0);
    expect(readdirSync(join(place, "home")).filter((name) => name === ".rollcall")).toEqual([]);
  });

  test("npx rollcall is the command", () => {
    const { status, output } = run("npx rollcall --version");
    expect(status).toBe(0);
    expect(output).toContain(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
  });
});

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
