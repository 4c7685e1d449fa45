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
  opencode: {
    package: "opencode-ai",
    version: "1.18.33",
    binary: () => `opencode-linux-${process.arch}/bin/opencode`,
  },
  codex: {
    package: "@openai/codex",
    version: "0.166.0",
    binary: () => `@openai/codex-linux-${process.arch}/vendor/${machine()}-unknown-linux-musl/bin/codex`,
  },
  gemini: {
    package: "@google/gemini-cli",
    version: "0.61.0",
    // It has no native binary: it is a script for Node.
    binary: () => "@google/gemini-cli/bundle/gemini.js",
  },
} as const;

/** The packages by which they speak the Agent Client Protocol. Each is told to use the program above. */
const ADAPTERS = {
  claude: {
    package: "@agentclientprotocol/claude-agent-acp",
    version: "0.100.0",
    command: "claude-agent-acp",
    uses: "CLAUDE_CODE_EXECUTABLE",
  },
  codex: {
    package: "@agentclientprotocol/codex-acp",
    version: "2.6.0",
    command: "codex-acp",
    uses: "CODEX_PATH",
  },
} as const;

export type ProgramName = keyof typeof PROGRAMS;
export type WithAdapter = keyof typeof ADAPTERS;

export interface Program {
  readonly name: ProgramName;
  readonly version: string;
  /** Its native binary, where it has one: the script in front of it would cost the start of a Node. */
  readonly path: string;
}

export async function installProgram(name: ProgramName, version?: string): Promise<Program> {
  const program = PROGRAMS[name];
  const wanted = version ?? program.version;
  return { name, version: wanted, path: await installPackage({ ...program, name, version: wanted }) };
}

export interface Adapter {
  readonly of: WithAdapter;
  readonly command: string;
  readonly path: string;
  /** The variable that names the program that it uses. */
  readonly uses: string;
}

export async function installAdapter(program: WithAdapter): Promise<Adapter> {
  const { package: from, version, command, uses } = ADAPTERS[program];
  const binary = () => `${from}/dist/index.js`;
  const path = await installPackage({ name: command, package: from, version, binary, isAlone: true });
  return { of: program, command, path, uses };
}

export interface Package {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** Below the folder of the modules. */
  readonly binary: () => string;
  /** Without the binaries that it brings along, for one that is given another. */
  readonly isAlone?: boolean;
}

/**
 * Installs a package from npm unless it is there, and returns the path of its binary. Whoever else installs it at the
 * same time gets a whole one too.
 */
export async function installPackage({
  name,
  package: from,
  version,
  binary,
  isAlone = false,
}: Package): Promise<string> {
  const folder = join(cacheFolder(), `${name}-${version}`);
  const path = join(folder, "node_modules", binary());
  if (!existsSync(path)) await install(`${from}@${version}`, folder, isAlone);
  if (!existsSync(path)) throw new Error(`${from}@${version} has no program for this machine.`);
  return path;
}

function cacheFolder(): string {
  const clone = join(import.meta.dirname, "..", "..");
  return (
    process.env.ROLLCALL_CONFORMANCE_CACHE ?? join(clone, "node_modules", ".cache", "rollcall-conformance")
  );
}

async function install(spec: string, folder: string, isAlone: boolean): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const partial = mkdtempSync(`${folder}.partial-`);
  try {
    await npmInstall(spec, partial, isAlone);
    moveTo(folder, partial);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

async function npmInstall(spec: string, prefix: string, isAlone: boolean): Promise<void> {
  // The scripts of a package only put its wrapper in place.
  const args = [
    "install",
    "--no-save",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    ...(isAlone ? ["--omit=optional"] : []),
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
      `${spec} could not be installed from npm (${code}). The network is needed once; then it is kept in ${dirname(prefix)}.`,
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
