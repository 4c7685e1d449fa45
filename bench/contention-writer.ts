// A process of its own: opens the store, says so, and on the order updates the sessions in turn, one after the other.
import { once } from "node:events";
import type { WriterOrder } from "./contention.ts";
import { openIn } from "./sessions.ts";

export interface WriterReport {
  readonly errors: readonly string[];
  readonly worstMs: number;
}

const [, , home = ""] = process.argv;
const rollcall = await openIn(home);
const ordered = once(process, "message");
process.send?.("open");
const [order] = (await ordered) as [WriterOrder];
const report = await write(order);
await rollcall.close();
process.send?.(report, () => process.disconnect());

async function write({ ids, updates }: WriterOrder): Promise<WriterReport> {
  const errors: string[] = [];
  let worstMs = 0;
  for (let step = 0; step < updates; step++) {
    const started = performance.now();
    try {
      await rollcall.update(ids[step % ids.length] ?? "", { metadata: { [`writer_${process.pid}`]: step } });
    } catch (error) {
      errors.push((error as Error).message);
    }
    worstMs = Math.max(worstMs, performance.now() - started);
  }
  return { errors, worstMs };
}
