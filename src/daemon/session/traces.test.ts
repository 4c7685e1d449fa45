import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toWire } from "../../domain/wire.ts";
import { writeTree } from "../../home/known-tree.ts";
import { bootId, identifyProcess } from "../../machine/process.ts";
import { livingProcess, markedProcess } from "../../testing/living-process.ts";
import { settle, useFakeTime } from "../../testing/session/fake-time.ts";
import { sessionPlace } from "../../testing/session/test-session.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { holderGone, lookForTraces } from "./traces.ts";

useFakeTime();

const MARKER = randomBytes(16).toString("hex");
const OTHER = randomBytes(16).toString("hex");
const NOBODY = { pid: 999_999, startTime: "1" };

/** The folder of a launch, with a holder and a guard that these processes are. */
function launchFolder({ holder, guard }: { readonly holder?: number; readonly guard?: number }) {
  const temp = tempFolder();
  const path = join(temp.path, MARKER);
  mkdirSync(path);
  noteHolder(path, { holder, guard });
  return { path, [Symbol.dispose]: () => temp[Symbol.dispose]() };
}

function noteHolder(
  folder: string,
  { holder, guard }: { holder?: number | undefined; guard?: number | undefined },
): void {
  const of = (pid: number | undefined) => (pid === undefined ? NOBODY : identifyProcess(pid));
  const file = { holder: of(holder), guard: of(guard), agent: NOBODY, bootId: bootId() };
  writeFileSync(join(folder, "holder.json"), JSON.stringify(toWire(file)));
}

test.each(["holder", "guard"] as const)(
  "a %s that does not leave is waited for, two seconds long",
  async (role) => {
    await using living = await markedProcess(MARKER);
    using launch = launchFolder({ [role]: living.pid });
    const { tookMs } = await settle(holderGone(launch.path));
    expect(tookMs).toBeGreaterThanOrEqual(2000);
    expect(tookMs).toBeLessThan(4000);
  },
);

test("a holder and guard that have left, or are another launch's by now, are not waited for", async () => {
  await using other = await markedProcess(OTHER);
  using gone = launchFolder({});
  using anothers = launchFolder({ holder: other.pid, guard: other.pid });
  using none = tempFolder();
  // A clock that stands still: whoever waited would wait for ever.
  for (const folder of [gone.path, anothers.path, none.path]) await holderGone(folder);
});

test.each([
  ["nobody holds it", undefined, 1],
  ["its holder lives", "holder", 0],
  ["its guard lives", "guard", 0],
] as const)("processes without a marker are traces of a launch where %s", async (_, role, count) => {
  await using place = await sessionPlace({ launch: { marker: MARKER } });
  await using held = await markedProcess(MARKER);
  await using survivor = livingProcess();
  const session = place.daemon();
  noteHolder(session.folder, role === undefined ? {} : { [role]: held.pid });
  const member = identifyProcess(survivor.pid);
  writeTree(session.folder, {
    ...{ bootId: bootId(), agent: NOBODY, cwd: "/nowhere", reaper: 1 },
    ...{ members: [member], sessions: [], groups: [], controlGroups: [] },
  });
  const ports = Object.assign(Object.create(session) as typeof session, {
    leftovers: { of: async () => [] },
  });
  const { traces } = await lookForTraces(ports, { process: null, generation: 1 });
  expect(traces).toMatchObject({ isHolderAlive: role === "holder", isGuardAlive: role === "guard" });
  expect(traces.survivors).toEqual(count === 0 ? [] : [member]);
});
