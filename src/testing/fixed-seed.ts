// Every property test draws the same cases in each run, so that a rare case turns no unrelated change red. `npm run fuzz` draws
// others: it sets ROLLCALL_FUZZ_SEED, which is printed and draws the same cases again.
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.ROLLCALL_FUZZ_SEED ?? 1) });
