import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** The real programs, at the versions that the fixtures and the scorecard speak of. */
const PROGRAMS = {
  claude: {
    package: "@anthropic-ai/claude-code",
    version: "2.1.325",
    binary: () => `@anthropic-ai/claude-code-linux-${process.arch}/claude`,
  },
  codex: {
    package: "@openai/codex",
    version: "0.166.0",
    binary: () => `@openai/codex-linux-${process.arch}/vendor/${machine()}-unknown-linux-musl/bin/codex`,
  },
} as const;

export type ProgramName = keyof typeof PROGRAMS;

export interface Program {
  readonly name: ProgramName;
  readonly version: string;
  /** Its native binary: the script in front of it would cost the start of a Node. */
  readonly path: string;
}

/** Installs it from npm unless it is there. Whoever else installs it at the same time gets a whole one too. */
export async function installProgram(name: ProgramName, version?: string): Promise<Program> {
  const program = PROGRAMS[name];
  const wanted = version ?? program.version;
  const folder = join(cacheFolder(), `${name}-${wanted}`);
  const path = join(folder, "node_modules", program.binary());
  if (!existsSync(path)) await install(`${program.package}@${wanted}`, folder);
  if (!existsSync(path)) throw new Error(`${program.package}@${wanted} has no program for this machine.`);
  return { name, version: wanted, path };
}

function cacheFolder(): string {
  const clone = join(import.meta.dirname, "..", "..");
  return (
    process.env.ROLLCALL_CONFORMANCE_CACHE ?? join(clone, "node_modules", ".cache", "rollcall-conformance")
  );
}

async function install(spec: string, folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const partial = mkdtempSync(`${folder}.partial-`);
  try {
    await npmInstall(spec, partial);
    moveTo(folder, partial);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

async function npmInstall(spec: string, prefix: string): Promise<void> {
  // The scripts of a package only put its wrapper in place.
  const args = [
    "install",
    "--no-save",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--prefix",
    prefix,
    spec,
  ];
  try {
    await promisify(execFile)("npm", args, { cwd: prefix });
  } catch (cause) {
    const code = /npm error code (\S+)/.exec((cause as { stderr?: string }).stderr ?? "")?.[1] ?? "no npm";
    if (code === "ETARGET") throw new Error(`There is no ${spec} on npm.`, { cause });
    throw new Error(
      `${spec} could not be installed from npm (${code}). Conformance needs the network once, and then keeps it in ${dirname(prefix)}.`,
      { cause },
    );
  }
}

/** Another one may have been quicker: then its folder stays. */
function moveTo(folder: string, partial: string): void {
  try {
    renameSync(partial, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

function machine(): string {
  return process.arch === "arm64" ? "aarch64" : "x86_64";
}
