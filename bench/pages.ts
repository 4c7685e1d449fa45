import { storePath } from "../src/home/layout.ts";
import { medianOf, walPagesOf } from "../src/testing/wal-pages.ts";
import type { Bench, Figure } from "./figure.ts";
import { openIn, progressOf } from "./sessions.ts";

const TIMES = 51;

/** Pages that one durable write puts into the journal: a table or index that it need not touch costs all of them. */
export async function* pages({ scratch }: Bench): AsyncIterable<Figure> {
  const home = scratch.folder();
  await using rollcall = await openIn(home);
  const create = () => rollcall.create({ file: false });
  // Enough of them that every table has more than one page.
  await Promise.all(Array.from({ length: 300 }, create));
  const { id } = await create();
  const path = storePath(home);
  const update = (n: number) => rollcall.update(id, { metadata: progressOf(n) });
  for (const [name, work] of Object.entries({ create, update })) {
    const value = medianOf(await walPagesOf(path, TIMES, work));
    yield { name: `${name}-pages`, value, valueUnit: "count", note: "pages to the journal, median" };
  }
}
