import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { MODEL_KEY } from "./model-server/server.ts";
import type { ProgramName } from "./programs.ts";

export interface PlaceOptions {
  readonly modelUrl: string;
  /** Whether the project is trusted from the start; without it the program asks (Codex only where there is something to trust). */
  readonly isTrusted?: boolean;
  /** Whether Claude was told before that it may use the key; without it it asks. */
  readonly isKeyApproved?: boolean;
  /** The key that the program sends; null is none. */
  readonly key?: string | null;
  /** How often a request that failed is tried again. */
  readonly retries?: number;
}

/** A home and a project for one program, with an environment that is made from nothing. */
export interface Place extends Disposable {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

type Settled = Required<PlaceOptions> & Pick<Place, "home" | "project">;

/** What is in the home of who has used the program before, and what it needs in its environment. */
const PROGRAMS: Readonly<Record<ProgramName, { files: (at: Settled) => Files; env: (at: Settled) => Env }>> =
  {
    claude: { files: claudeFiles, env: claudeEnv },
    codex: { files: codexFiles, env: codexEnv },
  };

type Env = Readonly<Record<string, string>>;
/** Contents by path. */
type Files = Readonly<Record<string, string>>;

// Nothing listens there: whatever is not on this machine cannot be reached.
const DEAD_PROXY = "http://127.0.0.1:9";

export function newPlace(name: ProgramName, options: PlaceOptions): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "rc-conformance-")));
  const at: Settled = {
    isTrusted: true,
    isKeyApproved: true,
    key: MODEL_KEY,
    retries: 2,
    ...options,
    home: join(root, "home"),
    project: join(root, "project"),
  };
  const { files, env } = PROGRAMS[name];
  mkdirSync(at.project);
  for (const [path, content] of Object.entries(files(at))) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return {
    root,
    home: at.home,
    project: at.project,
    env: { ...baseEnv(at.home), ...env(at) },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

function baseEnv(home: string): Env {
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    HTTP_PROXY: DEAD_PROXY,
    HTTPS_PROXY: DEAD_PROXY,
    NO_PROXY: "127.0.0.1,localhost",
  };
}

function claudeFiles({ isTrusted, isKeyApproved, key, home, project }: Settled): Files {
  // A long key is kept by its end.
  const approved = isKeyApproved && key !== null ? [key.slice(-20)] : [];
  const settings = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved, rejected: [] },
    projects: isTrusted ? { [project]: { hasTrustDialogAccepted: true } } : {},
  };
  return { [join(home, ".claude.json")]: JSON.stringify(settings) };
}

function claudeEnv({ modelUrl, key, retries }: Settled): Env {
  return {
    ANTHROPIC_BASE_URL: modelUrl,
    ...(key === null ? {} : { ANTHROPIC_API_KEY: key }),
    CLAUDE_CODE_MAX_RETRIES: String(retries),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
  };
}

function codexFiles(at: Settled): Files {
  const settings = { [join(at.home, ".codex", "config.toml")]: codexSettings(at) };
  // In a folder without settings of its own it does not ask.
  return at.isTrusted ? settings : { ...settings, [join(at.project, ".codex", "config.toml")]: "" };
}

/**
 * As its users have it: the daemon that it starts by itself is for the adapter to deal with. But not the folder for
 * temporary files: a tool that is killed leaves an empty `.git` in each folder that it could have written to.
 */
function codexSettings({ modelUrl, isTrusted, retries, project }: Settled): string {
  const trust = isTrusted ? `\n[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n` : "";
  return `model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true

[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = ${retries}
stream_max_retries = ${retries}
${trust}`;
}

function codexEnv({ key }: Settled): Env {
  return key === null ? {} : { SCRIPTED_KEY: key };
}
