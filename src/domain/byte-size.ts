const UNITS: Readonly<Record<string, number>> = { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** The bytes of a size such as `500MB` or `1.5 GB`; undefined for anything else. */
export function parseByteSize(text: string): number | undefined {
  const match = /^(\d{1,9}(?:\.\d{1,3})?) ?([kKMGT]?B)$/.exec(text);
  const factor = UNITS[match?.[2] ?? ""];
  return match && factor !== undefined ? Math.round(Number(match[1]) * factor) : undefined;
}
