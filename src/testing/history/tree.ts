import { generateClaude } from "./claude/claude-tree.ts";
import { generateCodex } from "./codex/codex-tree.ts";
import { generateGemini } from "./gemini/gemini-tree.ts";
import type { HistoryTree } from "./truth.ts";
import { World } from "./world.ts";

/** The history of Gemini CLI alone, as it could lie on a disk. */
export function generateGeminiTree(seed: number): HistoryTree {
  const world = new World(seed);
  return { seed, ...generateGemini(world), traps: world.traps };
}

/** The histories of Claude Code and Codex as they could lie on a disk. The same seed gives the same tree. */
export function generateTree(seed: number): HistoryTree {
  const world = new World(seed);
  const [claude, codex] = [generateClaude(world), generateCodex(world)];
  return {
    seed,
    files: [...claude.files, ...codex.files],
    sessions: [...claude.sessions, ...codex.sessions],
    traps: world.traps,
  };
}
