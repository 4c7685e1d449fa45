import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { type HistoryAgent, type HistoryFile, textOfFile } from "./truth.ts";

/** Where each agent has its files below a folder. */
export function folderOf(root: string, agent: HistoryAgent): string {
  return join(root, agent);
}

/** The variables that tell agents, and whoever reads their files, where they are. */
export function environmentOf(root: string): Record<string, string> {
  return {
    HOME: root,
    CLAUDE_CONFIG_DIR: folderOf(root, "claude"),
    CODEX_HOME: folderOf(root, "codex"),
    GEMINI_CLI_HOME: folderOf(root, "gemini"),
  };
}

/** Brings files to this state as agents do: what only grew is appended to, the rest is replaced. */
export function writeFiles(root: string, files: readonly HistoryFile[]): void {
  for (const file of files) {
    const path = join(folderOf(root, file.agent), file.path);
    const text = textOfFile(file);
    const bytes = file.isZstd ? zstdCompressSync(text) : Buffer.from(text);
    const now = existsSync(path) ? readFileSync(path) : undefined;
    if (now?.equals(bytes)) continue;
    mkdirSync(dirname(path), { recursive: true });
    if (now !== undefined && bytes.subarray(0, now.length).equals(now))
      appendFileSync(path, bytes.subarray(now.length));
    else replace(path, bytes);
  }
}

function replace(path: string, bytes: Buffer): void {
  writeFileSync(`${path}.partly`, bytes);
  renameSync(`${path}.partly`, path);
}
