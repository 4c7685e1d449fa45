import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const MODULE = join(import.meta.dirname, "interrupt-notice.ts");

/** Runs a command that waits: the code gets `notice`, the signal and the session that is known only later. */
async function interrupted(code: string): Promise<{ readonly code: number; readonly stderr: string }> {
  const program = `
    const { InterruptNotice } = await import(${JSON.stringify(MODULE)});
    let now = 0;
    setTimeout(() => process.exit(1), 10_000);
    const notice = new InterruptNotice({ note: (line) => process.stderr.write(line + "\\n") }, () => now);
    const press = () => new Promise((resolve) => {
      process.once("SIGINT", () => setImmediate(resolve));
      process.kill(process.pid, "SIGINT");
    });
    const session = { id: "s1", name: "long" };
    ${code}`;
  const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  return run.then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }) => ({ code, stderr }),
  );
}

const NOTICE = "Session s1 (long) goes on; end it with: rollcall end long\n";

test("a Ctrl-C before the session is known is answered as soon as it is", async () => {
  expect(await interrupted("await press(); notice.name(session)")).toEqual({ code: 130, stderr: NOTICE });
});

test("a Ctrl-C that the terminal and a launcher both pass on is one Ctrl-C", async () => {
  const twice = "await press(); await press(); notice.name(session)";
  expect(await interrupted(twice)).toEqual({ code: 130, stderr: NOTICE });
});

test("a second Ctrl-C before the session is known leaves at once", async () => {
  const again = "await press(); now = 1000; await press(); notice.name(session)";
  expect(await interrupted(again)).toEqual({ code: 130, stderr: "" });
});

test("the command that a Ctrl-C tells of works in a shell, whatever the name of the session", async () => {
  const { stderr } = await interrupted(
    'await press(); notice.name({ id: "session-20260101-000000-a1b2c3", name: "two words; rm" })',
  );
  expect(stderr).toMatch(/rollcall end a1b2c3\n$/);
});
