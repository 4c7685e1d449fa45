import type { Rollcall } from "../src/index.ts";
import type { Bench, Figure } from "./figure.ts";
import { interleave, tookMs } from "./measure.ts";
import { openIn } from "./sessions.ts";
import { filledHome, sizeOf } from "./stores.ts";

const ROUNDS = 51;
const FEW = 1000;
const LIMIT = 100;

/** The first page of a large store against that of a small one. */
export async function* list(bench: Bench): AsyncIterable<Figure> {
  const many = sizeOf(bench);
  await using large = await openIn(await filledHome(bench, many));
  await using small = await openIn(await filledHome(bench, FEW));
  const pages = bench.isQuick ? 10 : 30;
  const compared = await interleave({
    rounds: ROUNDS,
    ours: () => msPerPage(large, pages),
    baseline: () => msPerPage(small, pages),
  });
  const note = `page of ${LIMIT} in ${many} sessions against ${FEW}`;
  yield { name: "list", ...compared, value: compared.ratio, valueUnit: "x", unit: "ms", note };
}

async function msPerPage(rollcall: Rollcall, pages: number): Promise<number> {
  const ms = await tookMs(async () => {
    for (let page = 0; page < pages; page++) {
      const { sessions } = await rollcall.page({ limit: LIMIT });
      if (sessions.length !== LIMIT) throw new Error(`A page had ${sessions.length} sessions.`);
    }
  });
  return ms / pages;
}
