const EIGHTHS = " ▏▎▍▌▋▊▉";

/** A bar of this many characters for a value that equals the highest, to an eighth of one; something for all above zero. */
export function bar(value: number | null, highest: number, width: number): string {
  if (value === null || value <= 0 || highest <= 0) return "";
  const eighths = Math.max(1, Math.round(Math.min(1, value / highest) * width * 8));
  return "█".repeat(Math.floor(eighths / 8)) + (eighths % 8 === 0 ? "" : EIGHTHS[eighths % 8]);
}
