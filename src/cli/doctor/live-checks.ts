import { spawnSync } from "node:child_process";
import { homeFolder } from "../../home/layout.ts";
import type { MarkedProcess } from "../../machine/marked-process.ts";
import { type Check, guarded, ok } from "../../record/doctor.ts";
import { openRollcall } from "../../record/open.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { ANSWER_MS, askDaemon, nativeProgram } from "../live.ts";
import { importCheck } from "./import-check.ts";
import { endOrphans, findOrphans } from "./orphans.ts";
import { sizeCheck } from "./size-check.ts";
import { findStrayFiles, removeStrayFiles } from "./stray-files.ts";
import { survivorsCheck } from "./survivors-check.ts";

/** Put in by the build, from package.json. */
declare const ROLLCALL_VERSION: string;

/** The holder's exit code when it is called without arguments. */
const WRONG_USAGE = 2;
const SHOWN = 5;

/** How much there is, everything that live sessions need, and what is left of those that are over. */
export async function examineLive({ fix }: { readonly fix: boolean }): Promise<Check[]> {
  return [
    await guarded("size", () => withStore(sizeCheck)),
    await guarded("holder", holderCheck),
    await guarded("daemon", daemonCheck),
    await guarded("import", importCheck),
    await guarded("tmux", tmuxCheck),
    await guarded("orphans", () => withStore((rollcall) => orphansCheck(rollcall, fix))),
    await guarded("survivors", async () => survivorsCheck()),
    await guarded("leftovers", () => withStore((rollcall) => leftoversCheck(rollcall, fix))),
  ];
}

async function withStore(look: (rollcall: Rollcall) => Promise<Check>): Promise<Check> {
  await using rollcall = await openRollcall({ warn: () => {}, isProjectOptional: true });
  return await look(rollcall);
}

function holderCheck(): Check {
  const path = nativeProgram("rollcall-holder");
  const { status, error } = spawnSync(path, [], { timeout: ANSWER_MS, stdio: "ignore" });
  if (status === WRONG_USAGE) return ok("holder", `${path} can carry live sessions.`);
  const isMissing = (error as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
  return {
    name: "holder",
    status: isMissing ? "warning" : "failed",
    detail: isMissing
      ? "The holder was not built; live sessions cannot be started."
      : `${path} cannot be run${error ? `: ${error.message}` : ""}.`,
    hint: "Install a C compiler (on Debian: `apt-get install build-essential`) and run `npm run build`.",
  };
}

async function daemonCheck(): Promise<Check> {
  const client = await askDaemon(homeFolder());
  if (client === undefined)
    return ok("daemon", "It does not run; the first live command, or `rollcall up`, starts it.");
  if (client === "silent")
    return {
      name: "daemon",
      status: "failed",
      detail: `It does not answer within ${ANSWER_MS / 1000} s.`,
      hint: "Its log is daemon.log in the state folder; agents run on without it.",
    };
  using _ = client;
  const { version, pid } = client.greeting;
  if (version === ROLLCALL_VERSION) return ok("daemon", `Version ${version} runs (pid ${pid}).`);
  const detail = `Version ${version} runs (pid ${pid}), and this is ${ROLLCALL_VERSION}.`;
  return { name: "daemon", status: "warning", detail, hint: "`rollcall up` replaces it; agents run on." };
}

function tmuxCheck(): Check {
  const { status, stdout } = spawnSync("tmux", ["-V"], { timeout: ANSWER_MS, encoding: "utf8" });
  if (status === 0) return ok("tmux", `${stdout.trim()} is there, for sessions with --tmux.`);
  return ok("tmux", "It is not there; only --tmux needs it.");
}

async function orphansCheck(rollcall: Rollcall, fix: boolean): Promise<Check> {
  const found = await findOrphans(rollcall);
  if (found.length === 0) return ok("orphans", "No process is left of a session that is over.");
  const left = fix ? await endOrphans(rollcall) : found;
  if (left.length === 0) return ok("orphans", `Ended ${processes(found)}.`);
  return {
    name: "orphans",
    status: fix ? "failed" : "warning",
    detail: `${left.length === 1 ? "There is" : "There are"} still ${processes(left)}.`,
    hint: fix ? "They do not go, even when they are killed." : "`rollcall doctor --fix` ends them.",
  };
}

function processes(found: readonly MarkedProcess[]): string {
  const shown = found.slice(0, SHOWN).map(({ pid, command }) => `${pid} (${command})`);
  const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : "";
  const count = found.length === 1 ? "1 process" : `${found.length} processes`;
  return `${count} of sessions that are over: ${shown.join(", ")}${more}`;
}

async function leftoversCheck(rollcall: Rollcall, fix: boolean): Promise<Check> {
  const found = await findStrayFiles(rollcall);
  if (found.length === 0) return ok("leftovers", "No file is left of a session that is over.");
  if (fix) return ok("leftovers", `Removed ${await removeStrayFiles(rollcall)} files and folders.`);
  const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : "";
  return {
    name: "leftovers",
    status: "warning",
    detail: `Of sessions that are over there is still ${found.slice(0, SHOWN).join(", ")}${more}.`,
    hint: "`rollcall doctor --fix` removes it.",
  };
}
