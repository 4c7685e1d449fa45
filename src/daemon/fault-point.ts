/**
 * A named step at which the fault tests kill the daemon: `ROLLCALL_FAULT=start.recorded`. With a count behind a
 * colon it is the nth time that the step is passed.
 */
export function faultPoint(step: string): void {
  const wanted = process.env.ROLLCALL_FAULT;
  if (wanted === undefined) return;
  const [name, count = "1"] = wanted.split(":");
  if (name !== step) return;
  passed += 1;
  if (passed === Number(count)) process.kill(process.pid, "SIGKILL");
}

let passed = 0;
