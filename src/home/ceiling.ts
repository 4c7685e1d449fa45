import { type Config, ceilingOf } from "./settings.ts";
import { stateSizes } from "./state-sizes.ts";

/** From this share of its ceiling on, people are warned. */
const WARNING_SHARE = 0.8;

/** How much the state folder has, and how much it should have at most. */
export interface CeilingUse {
  readonly bytes: number;
  readonly ceilingBytes: number;
  readonly level: "below" | "near" | "over";
}

/** Undefined where no ceiling is set. Looks at the size of each file, for `mostMs` at most. */
export async function ceilingUse(
  home: string,
  config: Config,
  { mostMs }: { readonly mostMs: number },
): Promise<CeilingUse | undefined> {
  const ceilingBytes = ceilingOf(config);
  if (ceilingBytes === null) return undefined;
  const sizes = await stateSizes(home, { mostMs });
  const bytes = Object.values(sizes.bytes).reduce((sum, each) => sum + each, 0);
  return { bytes, ceilingBytes, level: levelOf(bytes, ceilingBytes) };
}

function levelOf(bytes: number, ceilingBytes: number): CeilingUse["level"] {
  if (bytes > ceilingBytes) return "over";
  return bytes >= ceilingBytes * WARNING_SHARE ? "near" : "below";
}
