import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../machine/replace-file.ts";
import { runFolder } from "./layout.ts";

export const LONGEST_EVENT = 64;

/** The word in the name of a file in the place of a marker, where Rollcall does not carry the session. */
export const OUTSIDE = "outside";

/** More than so many events of sessions outside are not kept while there is no daemon; the oldest go. */
const MOST_OUTSIDE = 1000;

/**
 * The script that a hook of a running agent calls: `hook.sh EVENT < JSON`, and `hook.sh EVENT outside` from the user's own
 * settings. It leaves a file and is gone; none is lost while the daemon is down, and nothing that goes wrong here can
 * stop the agent. A session that Rollcall carries has hooks of its own: there, those of the user's settings do nothing.
 */
const SCRIPT = `#!/bin/sh
# Hands an event of an agent to Rollcall. Never fails, and reads all it is given: the agent must not notice.
[ -t 0 ] && exec </dev/null
leave() { cat >/dev/null 2>&1; exit 0; }
event=\${1:-event}
case $event in *[!A-Za-z0-9_-]*) leave ;; esac
[ \${#event} -le ${LONGEST_EVENT} ] || leave
if [ "$2" = ${OUTSIDE} ]; then
  [ -z "$ROLLCALL_SESSION" ] || leave
  session=${OUTSIDE} hooks=\${0%/*}/hooks
  set -- "$hooks"/${OUTSIDE}.*
  [ $# -lt ${MOST_OUTSIDE} ] || rm -f "$1" 2>/dev/null
else
  session=$ROLLCALL_SESSION hooks=$ROLLCALL_HOOKS
  case $session in *[!0-9a-f]*) leave ;; esac
  [ \${#session} -eq 32 ] || leave
fi
[ -d "$hooks" ] || leave
umask 077
now=$(date +%s%N 2>/dev/null)
case $now in '' | *[!0-9]*) now=$(date +%s 2>/dev/null)000000000 ;; esac
name=$session.$now.$$.$event
{ cat >"$hooks/.$name" && mv "$hooks/.$name" "$hooks/$name"; } 2>/dev/null && exit 0
rm -f "$hooks/.$name" 2>/dev/null
leave
`;

/** Puts the script in its place, with the folder that it leaves files in, and returns its path. */
export function placeHookScript(home: string): string {
  const { script, spool } = hookPlaces(home);
  mkdirSync(spool, { recursive: true, mode: 0o700 });
  // Where there is no room for another one, the one that is there does.
  if (isInPlace(script)) return script;
  // By rename: a shell may be in the middle of reading the one that is there.
  replaceFile(script, SCRIPT, 0o700);
  return script;
}

function isInPlace(script: string): boolean {
  const found = statSync(script, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & 0o777) === 0o700 && readFileSync(script, "utf8") === SCRIPT;
}

export function hookPlaces(home: string): { readonly script: string; readonly spool: string } {
  const run = runFolder(home);
  return { script: join(run, "hook.sh"), spool: join(run, "hooks") };
}
