// The list of all agents: one line for each.
export { claude } from "./claude/adapter.ts";
export { codex } from "./codex/adapter.ts";
export { command } from "./command/adapter.ts";
export { gemini } from "./gemini/adapter.ts";
export { opencode } from "./opencode/adapter.ts";
export { scripted } from "./scripted/adapter.ts";
