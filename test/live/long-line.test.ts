import { test } from "vitest";
import { newLiveUser, until } from "./user.ts";

test("a line of more than 8 MB in the stream of an agent leaves a notice, and the session goes on", async () => {
  await using user = newLiveUser();
  const prompt = "run head -c 9000000 /dev/zero | tr '\\0' x ; say after";
  const { id } = await user.start(["scripted", "--kind", "autonomous", "--prompt", prompt]);
  const data = async () => (await user.ok(["data", id as string])).stdout;
  await until(async () => (await data()).includes("a line of more than 8 MB"), "the notice");
  await until(async () => /^assistant: after$/m.test(await data()), "what it says behind the line");
});
