/**
 * A script of `sh` that runs its arguments as a command, and ends it with exit 0 when standard input ends: the server
 * of OpenCode has no call that ends it, and does not look at its input. Any other end is passed on as it is.
 */
export const LEAVES_AT_END_OF_INPUT = `exec 3<&0
agent=
told=
done=
tell() { told=1; [ -z "$agent" ] || kill -s TERM "$agent"; }
trap 'done=1; tell' USR1
trap tell HUP INT TERM
"$@" </dev/null 3<&- &
agent=$!
[ -z "$told" ] || tell
(trap - HUP INT TERM USR1; while read -r _; do :; done <&3; kill -s USR1 $$) &
watch=$!
wait "$agent"
code=$?
while kill -s 0 "$agent" 2>/dev/null; do wait "$agent"; code=$?; done
kill "$watch" 2>/dev/null
[ -z "$done" ] || exit 0
exit "$code"`;
