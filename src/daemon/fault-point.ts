/**
 * A named step at which the fault tests kill the daemon: `ROLLCALL_FAULT=start.recorded`. With a count behind a
 * colon it is the nth time that the step is passed; behind another one stands the signal, where it is not KILL.
 */
export function faultPoint(step: string): void {
  const wanted = process.env.ROLLCALL_FAULT;
  if (wanted === undefined) return;
  const [name, count = "1", signal = "SIGKILL"] = wanted.split(":");
  if (name !== step) return;
  passed += 1;
  if (passed === Number(count)) process.kill(process.pid, signal);
}

let passed = 0;
