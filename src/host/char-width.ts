/**
 * How many cells a character takes: the emulator's own table is of Unicode 6, where an emoji is narrow. Each code point
 * counts for itself, so that a sequence joined by U+200D is as wide as its parts.
 */
export function charWidth(code: number): 0 | 1 | 2 {
  if (code < FIRST_ODD) return 1;
  if (code >= CACHED) return measure(code);
  // Kept with one added: zero says that it is not known yet.
  if (WIDTHS[code] === 0) WIDTHS[code] = measure(code) + 1;
  return ((WIDTHS[code] as number) - 1) as 0 | 1 | 2;
}

/** The first combining mark; below it every character takes one cell. */
const FIRST_ODD = 0x300;
const CACHED = 0x20000;
const WIDTHS = new Uint8Array(CACHED);

const NO_CELL = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
/** Regional indicators take one cell each: a flag is two of them. */
const REGIONAL = /^\p{Regional_Indicator}$/u;
/** East Asian Width W and F, in blocks. */
const TWO_CELLS =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]$/u;

function measure(code: number): 0 | 1 | 2 {
  const char = String.fromCodePoint(code);
  if (NO_CELL.test(char)) return 0;
  return TWO_CELLS.test(char) && !REGIONAL.test(char) ? 2 : 1;
}
