#!/bin/sh
":" /*
# A shell reads this file down to `exit`; Node takes the same lines for a comment. The shell makes way for Node, with `--`,
# for Node would take an `--env-file` of the command for its own. Only where a person may press Ctrl-\ to leave it stays:
# until its first line of JavaScript runs, nothing can keep Node from being killed by that key.
case ${1-} in
  attach | next) [ -t 0 ] && [ -t 1 ] || exec node -- "$0" "$@" ;;
  start | resume | fork)
    # A shell passes on no variable whose name it could not set, such as a function of bash: an agent gets them too.
    ROLLCALL_ODD_ENV=$(
      exec 2>/dev/null
      export LC_ALL=C
      tr '\0\n' '\n\1' </proc/$$/environ | grep -av '^[A-Za-z_][A-Za-z0-9_]*='
    )
    [ -z "$ROLLCALL_ODD_ENV" ] || export ROLLCALL_ODD_ENV
    exec node -- "$0" "$@" ;;
  *) exec node -- "$0" "$@" ;;
esac

rollcall_node='' rollcall_is_up='' rollcall_left_by=''
heed() {
  if [ -n "$rollcall_is_up" ]; then
    kill -s "$1" "$rollcall_node" 2>/dev/null
  else
    # Nothing has been done yet, and a Node that is just being loaded ignores the keys of a terminal.
    rollcall_left_by=$1
    [ -z "$rollcall_node" ] || kill -s KILL "$rollcall_node" 2>/dev/null
  fi
}
trap 'heed HUP' HUP
trap 'heed INT' INT
trap 'heed QUIT' QUIT
trap 'heed TERM' TERM
trap 'rollcall_is_up=yes' USR1

# In the background, for a shell that waits for a command in the foreground heeds no signal; there, input has to be given.
exec 3<&0
ROLLCALL_GUARD=$$ node -- "$0" "$@" <&3 3<&- &
rollcall_node=$!
[ -z "$rollcall_left_by" ] || kill -s KILL "$rollcall_node"
# A signal ends `wait` before Node ends. A shell that has been told how Node ended may have forgotten it, and says 127 then.
while wait "$rollcall_node" 2>/dev/null; rollcall_code=$?; kill -0 "$rollcall_node" 2>/dev/null; do :; done
wait "$rollcall_node" 2>/dev/null
rollcall_again=$?
[ "$rollcall_again" -eq 127 ] || rollcall_code=$rollcall_again

case $rollcall_left_by in
  QUIT) printf 'Detached; come back with `rollcall %s`.\n' "$*" >&2; exit 0 ;;
  ?*) trap - "$rollcall_left_by"; kill -s "$rollcall_left_by" $$ ;;
esac
[ "$rollcall_code" -le 128 ] || { trap - $((rollcall_code - 128)); kill -$((rollcall_code - 128)) $$; } 2>/dev/null
exit "$rollcall_code"
*/;
"use strict";
// Runs on any Node, so that an old one is told what it lacks instead of crashing inside a native module.

const { existsSync } = require("node:fs");
const path = require("node:path");

const NEEDED = [22, 12];
const GUARD_MS = 500;
const root = path.join(__dirname, "..");
const bundle = path.join(root, "dist", "cli", "main.cjs");

// Ctrl-\ leaves an attach, also one that is still coming up: until it has the terminal the key is a signal.
const isAttaching = ["attach", "next"].includes(process.argv[2]);

restoreOddVariables();
if (isNewEnough(process.versions.node)) {
  if (existsSync(bundle)) runBundle();
  else complain("Rollcall is not built yet: run `npm run build` in its folder.");
} else {
  rerunWithPinnedNode();
}

/** With what Node compiled at build time, kept beside the bundle and as trusted as that. */
function runBundle() {
  if (isAttaching) process.on("SIGQUIT", leaveByKey);
  answerGuard();
  const module = require("node:module");
  module.enableCompileCache(path.join(root, "dist", "cache"));
  if (process.env.ROLLCALL_WARM_UP) process.on("exit", () => module.flushCompileCache());
  require(bundle).run();
}

function leaveByKey() {
  process.stderr.write(`Detached; come back with \`rollcall ${process.argv.slice(2).join(" ")}\`.\n`);
  process.exit(0);
}

/** The shell above us passes signals on from now. Killed, it has given the terminal back: nobody is there any more. */
function answerGuard() {
  const guard = Number(process.env.ROLLCALL_GUARD);
  delete process.env.ROLLCALL_GUARD;
  if (guard !== process.ppid) return;
  process.kill(guard, "SIGUSR1");
  setInterval(() => {
    if (process.ppid !== guard) process.kill(process.pid, "SIGTERM");
  }, GUARD_MS).unref();
}

/** In the form of the shell above: a variable in each line, a line break in it as \1. */
function restoreOddVariables() {
  const lines = process.env.ROLLCALL_ODD_ENV || "";
  delete process.env.ROLLCALL_ODD_ENV;
  for (const line of lines.split("\n")) {
    const at = line.indexOf("=", 1);
    if (at > 0) process.env[line.slice(0, at)] = line.slice(at + 1).split("\u0001").join("\n");
  }
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
  // A signal to the launcher is meant for the command.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"])
    process.on(signal, () => child.kill(signal));
  answerGuard();
  child.on("error", (error) =>
    complain(`Rollcall could not run its pinned Node (${error.message}): run \`npm ci\` again.`),
  );
  child.on("exit", (code, signal) => {
    if (isAttaching && signal === "SIGQUIT") leaveByKey();
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
