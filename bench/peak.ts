import { execFileSync } from "node:child_process";
import { LAUNCHER } from "./cli.ts";
import { childEnv } from "./scratch.ts";

/** The most memory that a command of the command line takes, in megabytes, as the kernel counts it. */
export function peakMbOf(words: readonly string[], env: Readonly<Record<string, string>>): number {
  const command = [process.execPath, LAUNCHER, ...words].map((word) => JSON.stringify(word)).join(" ");
  const script = `${command} >/dev/null & pid=$!; peak=0
while [ -r /proc/$pid/status ]; do now=$(sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/$pid/status); [ "\${now:-0}" -gt "$peak" ] && peak=$now; sleep 0.05; done
wait $pid && echo $peak`;
  return (Number(execFileSync("sh", ["-c", script], { env: childEnv(env), encoding: "utf8" })) * 1024) / 1e6;
}
