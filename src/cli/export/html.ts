import { createHash } from "node:crypto";
import { toInstant } from "../../domain/time.ts";
import {
  entryArticle,
  pageEnd,
  pageHead,
  stateRow,
  transcriptHead,
} from "../../present/page/session-page.ts";
import { PAGE_STYLE } from "../../present/page/style.ts";
import { recordOf } from "../../record/context.ts";
import type { ExportChoice } from "../../record/export.ts";
import type { Rollcall } from "../../record/rollcall.ts";

/** One page that needs nothing else: no script, no network, no file beside it. Made piece by piece. */
export async function* exportHtml(
  rollcall: Rollcall,
  id: string,
  choice: ExportChoice,
): AsyncIterable<string> {
  const { store, now } = rollcall.context;
  const { items } = await store.list({ parentId: id, limit: 0 });
  const children = await Promise.all(items.map((child) => recordOf(store, child)));
  const styleHash = createHash("sha256").update(PAGE_STYLE).digest("base64");
  yield pageHead(await rollcall.get(id), children, styleHash);
  for await (const event of rollcall.events(id)) yield stateRow(event);
  yield transcriptHead();
  for await (const entry of rollcall.entries(id, choice)) yield entryArticle(entry);
  yield pageEnd(toInstant(now()));
}
