import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, test } from "vitest";
import { loadConfig } from "../../home/settings.ts";
import { bootId, identifyProcess } from "../../machine/process.ts";
import { append } from "../../store/contract/place.ts";
import type { SessionSample } from "../../store/observations.ts";
import { created } from "../../testing/events.ts";
import { livingProcess } from "../../testing/living-process.ts";
import { sqlitePlace } from "../../testing/sqlite-place.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import type { Facts } from "../session/ports.ts";
import { Sampler } from "./sampler.ts";

const OFTEN = { "samples.active": "500ms", "samples.quiet": "500ms" };

test("sessions that are due together are one batch, and one that is forgotten is in none", async () => {
  await using place = await samplingPlace(["a", "b"]);
  for (const session of place.sessions) place.sampler.begin(session);
  const first = await place.nextBatch();
  expect(first.map(({ sessionId }) => sessionId)).toEqual(["a", "b"]);
  expect(first[0]?.sample).toMatchObject({ processes: 1, workspaceBytesUsed: null });
  place.sampler.forget(place.sessions[0] as Facts);
  const ids = (await place.nextBatch()).map(({ sessionId }) => sessionId);
  expect(ids).toEqual(["b"]);
});

test("what could not be stored is measured again with the next sample", async () => {
  await using place = await samplingPlace(["a"]);
  place.failing = true;
  place.sampler.begin(place.sessions[0] as Facts);
  const [lost] = await place.nextBatch();
  place.failing = false;
  const [kept] = await place.nextBatch();
  expect(kept?.sample.overMs).toBeGreaterThan(lost?.sample.overMs ?? 0);
  expect(await place.store.samples("a")).toHaveLength(1);
});

test("a session whose files are damaged keeps no other from being measured", async () => {
  await using place = await samplingPlace(["a", "b"]);
  writeFileSync(join(place.sessions[0]?.folder as string, "holder.json"), "{");
  for (const session of place.sessions) place.sampler.begin(session);
  expect((await place.nextBatch()).map(({ sessionId }) => sessionId)).toEqual(["b"]);
});

/** Sessions with a real process each, and a store whose batches can be waited for. */
async function samplingPlace(ids: readonly string[]) {
  const folder = tempFolder();
  const stored = sqlitePlace();
  const store = stored.open();
  const processes = ids.map(() => livingProcess());
  const sessions = await Promise.all(
    ids.map(async (id, index) => {
      await append(store, id, created());
      return launchOf(id, join(folder.path, id), processes[index]?.pid as number);
    }),
  );
  let batch = Promise.withResolvers<readonly SessionSample[]>();
  const place = {
    sessions,
    store,
    failing: false,
    nextBatch: async () => {
      batch = Promise.withResolvers();
      return batch.promise;
    },
    sampler: new Sampler({
      context: { store, now: Date.now },
      observations: {
        addSamples: async (samples) => {
          if (!place.failing) await store.addSamples(samples);
          batch.resolve(samples);
          if (place.failing) throw new Error("The disk is full.");
        },
      },
      log: pino({ level: "silent" }),
      config: () => ({ ...loadConfig(folder.path, undefined).config, ...OFTEN }),
    }),
    [Symbol.asyncDispose]: async () => {
      place.sampler.end();
      await Promise.all(processes.map(async (process) => process.kill()));
      await store.close();
      stored[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
  return place;
}

function launchOf(id: string, folder: string, pid: number): Facts {
  mkdirSync(folder);
  const { startTime } = identifyProcess(pid);
  const nobody = { pid: 1, start_time: "none" };
  const file = { boot_id: bootId(), guard: nobody, holder: nobody, agent: { pid, start_time: startTime } };
  writeFileSync(join(folder, "holder.json"), JSON.stringify(file));
  return { id, folder, carrying: { launch: { marker: `marker-${id}` } } } as unknown as Facts;
}
