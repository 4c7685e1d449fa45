import { expect, test } from "vitest";
import { FakeHolder } from "../../testing/session/fake-holder.ts";
import { Recorder } from "../../testing/session/recorder.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { OutputSlices } from "../intake/output-slices.ts";
import { HolderLink } from "./holder-link.ts";

/** Notes each piece that asks for a slice of time. */
class NotedSlices extends OutputSlices {
  readonly steps: Recorder<string>;

  constructor(steps: Recorder<string>) {
    super();
    this.steps = steps;
  }

  override async admit(): Promise<void> {
    this.steps.add("a slice");
    await super.admit();
  }
}

test("output of a holder waits for its slice of time, and no other message does", async () => {
  using folder = tempFolder();
  await using holder = await FakeHolder.in(folder.path);
  const steps = new Recorder<string>();
  const link = await HolderLink.open(folder.path, { from: 0, errFrom: 0 }, new NotedSlices(steps));
  const following = link.follow((message) => steps.add(message.type));
  holder.write("hello");
  holder.say({ type: "title", title: "t" });
  expect(await steps.first(3)).toEqual(["a slice", "output", "title"]);
  await link.close();
  await following;
  expect(link.isOpen).toBe(false);
});
