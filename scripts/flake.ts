// Looks for flaky tests: `npm run flake -- [--times N] [--busy N] [FILTER…]` runs the README's test command N times beside busy
// processes, and lists every test that ever failed.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "..");

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

const orders = parse(process.argv.slice(2));
if (typeof orders === "string") {
  console.error(orders);
  process.exitCode = 2;
} else process.exitCode = flake(orders);

interface Orders {
  readonly times: number;
  readonly busy: number;
  readonly filters: readonly string[];
}

function flake({ times, busy, filters }: Orders): number {
  const failures = new Map<string, number>();
  let red = 0;
  for (let run = 1; run <= times; run++) {
    const began = performance.now();
    const { status, failed } = runOnce(busy, filters);
    const seconds = Math.round((performance.now() - began) / 1000);
    console.log(`run ${run} of ${times}: ${status === 0 ? "green" : "red"}, ${seconds} s`);
    for (const { title, why } of failed) {
      failures.set(title, (failures.get(title) ?? 0) + 1);
      console.log(`  ${title}\n    ${why}`);
    }
    if (status !== 0) red += 1;
  }
  console.log(`\n${times - red} of ${times} runs were green beside ${busy} busy processes.`);
  for (const [title, count] of [...failures].sort(([, a], [, b]) => b - a))
    console.log(`${count} x  ${title}`);
  return red === 0 ? 0 : 1;
}

/** A run that fails without a failed test, as by something left behind, is red all the same. */
function runOnce(busy: number, filters: readonly string[]): { status: number; failed: Failure[] } {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-flake-"));
  const file = join(folder, "report.json");
  const load = Array.from({ length: busy }, () => keepBusy());
  try {
    const args = [join(root, "scripts", "test.ts"), ...filters, "--reporter=json", `--outputFile=${file}`];
    const { status } = spawnSync(process.execPath, args, {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    });
    return { status: status ?? 1, failed: failedIn(file) };
  } finally {
    for (const child of load) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Failure {
  readonly title: string;
  /** The first line of the error, so that a long run can be judged before it is over. */
  readonly why: string;
}

function failedIn(file: string): Failure[] {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(file, "utf8")) as Report;
  } catch {
    return [{ title: "(no report was written)", why: "" }];
  }
  return report.testResults.flatMap(({ name, message, assertionResults }) => {
    const path = relative(root, name);
    const failed = assertionResults.filter(({ status }) => status === "failed");
    if (failed.length === 0 && message !== "") return [{ title: path, why: firstLine(message) }];
    return failed.map(({ fullName, failureMessages }) => ({
      title: `${path}: ${fullName}`,
      why: firstLine(failureMessages[0] ?? ""),
    }));
  });
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** Ends by itself where this process is killed: nobody is left to burn a core. */
function keepBusy(): ChildProcess {
  const script = `const parent = process.ppid; for (let n = 0; ; n++) if (n % 1e7 === 0 && process.ppid !== parent) process.exit();`;
  return spawn(process.execPath, ["-e", script], { stdio: "ignore" });
}

function parse(args: readonly string[]): Orders | string {
  const given = { times: 3, busy: 4 };
  const filters: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    const name = /^--(times|busy)$/.exec(arg)?.[1] as keyof typeof given | undefined;
    if (name === undefined && arg.startsWith("--")) return `${arg} is no option; valid: --times N, --busy N.`;
    if (name === undefined) filters.push(arg);
    else {
      const value = Number(args[++at]);
      if (!(Number.isSafeInteger(value) && value >= (name === "times" ? 1 : 0)))
        return `--${name} takes a whole number.`;
      given[name] = value;
    }
  }
  return { ...given, filters };
}
