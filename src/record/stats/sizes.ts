import { stateSizes } from "../../home/state-sizes.ts";
import type { Context } from "../context.ts";

export interface Sizes {
  /** The bytes of the whole state folder. */
  readonly bytes: number;
  /** Not all files could be looked at in time: there are more bytes. */
  readonly partial: boolean;
  /** The largest first. They add up to `bytes`. */
  readonly kinds: readonly KindSize[];
}

interface KindSize {
  readonly kind: string;
  readonly bytes: number;
  readonly estimated: boolean;
}

const MOST_MS = 2000;

/** How many bytes each kind of data in the state folder takes. */
export async function sizesOf({ home, store }: Pick<Context, "home" | "store">): Promise<Sizes> {
  const stored = store.statistics().sizes();
  const { bytes: files, isWhole } = await stateSizes(home, { mostMs: MOST_MS });
  const { store: storeBytes, ...others } = files;
  const pages = stored.reduce((sum, { bytes }) => sum + bytes, 0);
  const kinds: KindSize[] = [
    ...stored.map(({ kind, bytes, isEstimate }) => ({ kind, bytes, estimated: isEstimate })),
    // Pages that the journal holds and the database does not yet have are counted with their tables.
    exactly("journal", Math.max(0, storeBytes - pages)),
    ...Object.entries(others).map(([kind, bytes]) => exactly(kind, bytes)),
  ];
  return {
    bytes: kinds.reduce((sum, { bytes }) => sum + bytes, 0),
    partial: !isWhole,
    kinds: kinds.sort((a, b) => b.bytes - a.bytes),
  };
}

function exactly(kind: string, bytes: number): KindSize {
  return { kind, bytes, estimated: false };
}
