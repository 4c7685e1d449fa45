import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LAUNCHER, ROOT, run } from "../cli/rollcall.ts";
import { newLiveUser } from "./user.ts";

const guide = readFileSync(join(ROOT, "docs", "live.md"), "utf8");

test("the example of the guide to live sessions works as it stands", async () => {
  await using user = newLiveUser();
  const [, script = ""] = /^```sh\n(.*?)^```/ms.exec(guide) ?? [];
  const rollcall = `rollcall() { "${process.execPath}" "${LAUNCHER}" "$@"; }`;
  const { code, stdout, stderr } = await run("sh", ["-euc", `${rollcall}\n${script}`], {
    env: user.env,
    cwd: user.workspace,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("waiting_input (permission)");
  expect(await user.get("try")).toMatchObject({ state: "stopped" });
});
