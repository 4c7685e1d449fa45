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

/** A home and a project for one program or several, with an environment that is made from nothing. */
export interface Place extends Disposable {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

type Settled = Required<PlaceOptions> & Pick<Place, "home" | "project">;

/** What is in the home of who has used the program before, and what it needs in its environment. */
const PROGRAMS: Readonly<Record<ProgramName, Needs>> = {
  claude: { files: claudeFiles, env: claudeEnv },
  codex: { files: codexFiles, env: codexEnv },
  gemini: { files: geminiFiles, env: geminiEnv },
  opencode: { files: opencodeFiles, env: opencodeEnv, programs: opencodePrograms },
};

interface Needs {
  readonly files: (at: Settled) => Files;
  readonly env: (at: Settled) => Env;
  /** Files that can be executed. */
  readonly programs?: (at: Settled) => Files;
}

type Env = Readonly<Record<string, string>>;
/** Contents by path. */
type Files = Readonly<Record<string, string>>;

// Nothing listens there: whatever is not on this machine cannot be reached.
const DEAD_PROXY = "http://127.0.0.1:9";

export function newPlace(names: readonly ProgramName[], options: PlaceOptions): Place {
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
  const needs = names.map((name) => PROGRAMS[name]);
  mkdirSync(at.project);
  for (const { files, programs } of needs) {
    writeAll(files(at), 0o644);
    writeAll(programs?.(at) ?? {}, 0o755);
  }
  return {
    root,
    home: at.home,
    project: at.project,
    env: Object.assign(baseEnv(at.home), ...needs.map(({ env }) => env(at))),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

function writeAll(files: Files, mode: number): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode });
  }
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

function geminiFiles({ isTrusted, retries, home, project }: Settled): Files {
  const settings = {
    general: { enableAutoUpdate: false, maxAttempts: retries + 1 },
    privacy: { usageStatisticsEnabled: false },
    security: { auth: { selectedType: "gemini-api-key" } },
    telemetry: { enabled: false },
  };
  const trusted = {
    [join(home, ".gemini", "trustedFolders.json")]: JSON.stringify({ [project]: "TRUST_FOLDER" }),
  };
  return {
    [join(home, ".gemini", "settings.json")]: JSON.stringify(settings),
    ...(isTrusted ? trusted : {}),
  };
}

function geminiEnv({ modelUrl, key }: Settled): Env {
  return { GOOGLE_GEMINI_BASE_URL: modelUrl, ...(key === null ? {} : { GEMINI_API_KEY: key }) };
}

/** It has no fixed number of retries, and asks about nothing by itself. */
function opencodeFiles({ modelUrl, key, home }: Settled): Files {
  const model = {
    name: "Scripted",
    reasoning: true,
    tool_call: true,
    cost: { input: 1, output: 5, cache_read: 0.1, cache_write: 1.25 },
    limit: { context: 200_000, output: 32_000 },
  };
  const options = { baseURL: `${modelUrl}/v1`, ...(key === null ? {} : { apiKey: key }) };
  const settings = {
    model: "scripted/scripted-model",
    small_model: "scripted/scripted-model",
    autoupdate: false,
    share: "disabled",
    // The last rule that fits counts.
    permission: { bash: { "*": "ask", "echo *": "allow", "touch begun": "allow", "tail *": "allow" } },
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted",
        options,
        models: { "scripted-model": model, "other-model": { ...model, name: "Other" } },
      },
    },
  };
  return { [join(home, ".config", "opencode", "opencode.json")]: JSON.stringify(settings) };
}

/** It downloads ripgrep before its first turn unless it is there, which takes a while where nothing can be reached. */
function opencodePrograms({ home }: Settled): Files {
  return { [join(home, ".cache", "opencode", "bin", "rg")]: "#!/bin/sh\nexit 1\n" };
}

function opencodeEnv(): Env {
  return { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
}
