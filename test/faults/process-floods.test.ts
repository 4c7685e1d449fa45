import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { newFaultUser, reaches } from "./fault-user.ts";
import { PATIENCE_MS, report, times } from "./scale.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

const FLOODS = times(6, 20);
const LONG_LINE = 15 * 1024 * 1024;

test.each([
  ["terminal", []],
  ["pipe", ["--kind", "autonomous"]],
])("the end of sessions that flood their %s is proven, and said so", async (_host, kind) => {
  await using user = newFaultUser();
  const ids: string[] = [];
  for (let made = 0; made < FLOODS; made++) ids.push((await user.start([...kind, "--", "yes"])).id);
  const ended = await user.rollcall(["end", "--all", "--grace", "1s", "--json"]);
  expect(ended.code, ended.stderr).toBe(0);
  const { results } = ended.json as unknown as { results: { remaining: number[]; is_proven?: boolean }[] };
  expect(results).toHaveLength(FLOODS);
  for (const result of results) {
    expect(result.remaining).toEqual([]);
    expect(result.is_proven).not.toBe(false);
  }
  for (const id of ids) await reaches(user, id, { state: "stopped", outcome: "interrupted" });
});

test("down --end-all ends sessions that flood, and claims none to be left", async () => {
  await using user = newFaultUser();
  for (let made = 0; made < FLOODS; made++) await user.start(["--", "yes"]);
  const down = await user.rollcall(["down", "--end-all", "--grace", "1s"]);
  expect(down.code, down.stderr).toBe(0);
});

test("ten sessions that flood their pipes end in seconds, in a daemon that stays small", async () => {
  await using user = newFaultUser();
  for (let made = 0; made < 10; made++) await user.start(["--kind", "autonomous", "--", "yes"]);
  const { daemon } = (await user.ok(["status", "--json"])).json as unknown as { daemon: { pid: number } };
  const lines = () => user.ok(["list", "--json"]);
  await expect
    .poll(async () => (await lines()).json.sessions.every(({ seq }) => Number(seq) > 20), { timeout: 60_000 })
    .toBe(true);
  await user.ok(["end", "--all", "--grace", "1s"]);
  // One gigabyte was reached where each line was an object of its own.
  expect(peakMbOf(daemon.pid)).toBeLessThan(500);
});

test("a line of 15 MiB through a pipe is kept whole by a daemon that holds a part of it at a time", async () => {
  await using user = newFaultUser();
  const pid = await user.up();
  const first = await user.start(["--kind", "autonomous", "--", "echo", "short"]);
  await reaches(user, first.id, { state: "stopped" });
  const before = peakMbOf(pid);
  const line = `head -c ${LONG_LINE} /dev/zero | tr "\\0" x; echo`;
  const { id } = await user.start(["--kind", "autonomous", "--", "sh", "-c", line]);
  await reaches(user, id, { state: "stopped", exit_code: 0 });
  const grownMb = peakMbOf(pid) - before;
  // 246 MB were taken where the line was held as a whole.
  expect(grownMb).toBeLessThan(150);
  const { stdout } = await user.ok(["logs", id]);
  expect(stdout.replaceAll("\n", "").length).toBe(LONG_LINE);
  report(`a line of 15 MiB: the daemon grew by ${Math.round(grownMb)} MB at most`);
});

function peakMbOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1024;
}
