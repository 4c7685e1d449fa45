import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { matchScreen } from "../../domain/screen/screen-rules.ts";
import { SCREEN } from "./screen.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

test.each(readdirSync(FIXTURES))("the screen %s is read as expected", (name) => {
  const screen = readFileSync(join(FIXTURES, name, "screen.txt"), "utf8");
  const expected = JSON.parse(readFileSync(join(FIXTURES, name, "expected.json"), "utf8")) as object;
  const rule = matchScreen(SCREEN, screen)?.rule;
  expect({ rule: rule?.name ?? null, says: rule?.says, for: rule?.for }).toEqual(expected);
});
