import { bytes } from "../../present/format.ts";
import type { Sizes } from "../../record/stats/sizes.ts";

/** Those below are in `--json`. */
const LEAST_SHARE = 0.01;

const WORDS: Readonly<Record<string, string>> = {
  search: "search index",
  other: "other tables",
  free: "free pages",
  live: "files of live sessions",
  files: "other files",
};

/** Such as `12.0 MB: 8.0 MB events, 4.0 MB recordings`. */
export function describeSizes({ bytes: all, partial, kinds }: Sizes): string {
  const large = kinds.filter((kind) => kind.bytes > 0 && kind.bytes >= all * LEAST_SHARE);
  const shown = large.map(
    ({ kind, bytes: own, estimated }) => `${estimated ? "about " : ""}${bytes(own)} ${WORDS[kind] ?? kind}`,
  );
  return `${partial ? "≥ " : ""}${bytes(all)}: ${shown.join(", ")}`;
}
