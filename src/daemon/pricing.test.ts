import { chmodSync, writeFileSync } from "node:fs";
import { pino } from "pino";
import { expect, test } from "vitest";
import { configPath } from "../home/layout.ts";
import { saveSetting } from "../home/settings.ts";
import { request } from "../testing/events.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { Pricing } from "./pricing.ts";

test("requests are priced by the settings as they are now, and by those before where they cannot be read", async () => {
  using folder = tempFolder();
  chmodSync(folder.path, 0o700);
  const pricing = new Pricing({ home: folder.path, log: pino({ enabled: false }) });
  const cost = async () => (await pricing.now())(request("r", { tokensInput: 1000, tokensOutput: 0 }));
  expect(await cost()).toMatchObject({ model: "model-a", computedNanoUsd: null, pricedBy: null });
  saveSetting(folder.path, "prices", '{"model-a":{"input":2,"output":9}}');
  expect(await cost()).toMatchObject({ computedNanoUsd: 2_000_000, pricedBy: "config" });
  writeFileSync(configPath(folder.path), '{"prices":{"model-a":{"input":-1,"output":9}}}');
  expect(await cost()).toMatchObject({ computedNanoUsd: 2_000_000, pricedBy: "config" });
});
