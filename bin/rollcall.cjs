#!/usr/bin/env -S node --
"use strict";
// With `--`, for Node would take an `--env-file` of the command for its own.
// Runs on any Node, so that an old one is told what it lacks instead of crashing inside a native module.

const { existsSync } = require("node:fs");
const path = require("node:path");

const NEEDED = [22, 12];
const root = path.join(__dirname, "..");
const bundle = path.join(root, "dist", "cli", "main.cjs");

// Ctrl-\ leaves an attach, also one that is still coming up: until it has the terminal the key is a signal.
const isAttaching = ["attach", "next"].includes(process.argv[2]);

if (isNewEnough(process.versions.node)) {
  if (existsSync(bundle)) runBundle();
  else complain("Rollcall is not built yet: run `npm run build` in its folder.");
} else {
  rerunWithPinnedNode();
}

/** With what Node compiled at build time, kept beside the bundle and as trusted as that. */
function runBundle() {
  if (isAttaching) process.on("SIGQUIT", () => process.exit(0));
  const module = require("node:module");
  module.enableCompileCache(path.join(root, "dist", "cache"));
  if (process.env.ROLLCALL_WARM_UP) process.on("exit", () => module.flushCompileCache());
  require(bundle).run();
}

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

function rerunWithPinnedNode() {
  const pinned = path.join(root, "node_modules", "node", "bin", "node");
  if (process.env.ROLLCALL_RERUN || !existsSync(pinned)) {
    complain(
      `Rollcall needs Node ${NEEDED.join(".")} or newer and this is ${process.versions.node}: install a newer Node, or run \`npm ci\` with install scripts allowed to get the pinned one.`,
    );
    return;
  }
  const { spawn } = require("node:child_process");
  const child = spawn(pinned, ["--", __filename, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, ROLLCALL_RERUN: "1" },
  });
  // Whoever ends the launcher means the command.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"])
    process.on(signal, () => child.kill(signal));
  child.on("error", (error) =>
    complain(`Rollcall could not run its pinned Node (${error.message}): run \`npm ci\` again.`),
  );
  child.on("exit", (code, signal) => {
    if (isAttaching && signal === "SIGQUIT") process.exitCode = 0;
    else if (signal === null) process.exitCode = code;
    else {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
}

function complain(sentence) {
  process.stderr.write(`rollcall: ${sentence}\n`);
  process.exitCode = 1;
}
