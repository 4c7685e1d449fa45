import { ceilingUse } from "../../home/ceiling.ts";
import { bytes } from "../../present/format.ts";
import { type Check, ok } from "../../record/doctor.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { sizesOf } from "../../record/stats/sizes.ts";
import { describeSizes } from "../stats/describe-sizes.ts";

const MOST_MS = 2000;

/** How large the state folder is, what makes it so, and whether that is near its ceiling. */
export async function sizeCheck({ context }: Rollcall): Promise<Check> {
  const detail = `The state folder has ${describeSizes(await sizesOf(context))}.`;
  const use = await ceilingUse(context.home, context.config, { mostMs: MOST_MS });
  if (use === undefined || use.level === "below") return ok("size", detail);
  return {
    name: "size",
    status: "warning",
    detail: `${detail} That is ${use.level} its ceiling of ${bytes(use.ceilingBytes)}.`,
    hint: "Raise `retention.ceiling`, or remove old sessions with `rollcall cleanup`; `retention.sessions` and `retention.imported` do that by themselves.",
  };
}
