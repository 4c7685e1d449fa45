/**
 * The known word that a mistyped or shortened one was most likely meant to be. The first letter is hardly ever the wrong
 * one, and `stop` shall not lead to `top`.
 */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const alike = known.filter((word) => word[0] === given[0]);
  for (const edits of given.length < 4 ? [1] : [1, 2]) {
    const near = alike.find((word) => isNear(given, word, edits));
    if (near !== undefined) return near;
  }
  return given.length < 3 ? undefined : alike.find((word) => word.startsWith(given));
}

/** Whether one becomes the other by so many letters added, left out, replaced or swapped with their neighbour. */
function isNear(given: string, word: string, edits: number): boolean {
  if (given === word) return true;
  if (given !== "" && given[0] === word[0]) return isNear(given.slice(1), word.slice(1), edits);
  if (edits === 0) return false;
  const isSwapped = given.length > 1 && given[0] === word[1] && given[1] === word[0];
  return (
    isNear(given.slice(1), word.slice(1), edits - 1) ||
    isNear(given.slice(1), word, edits - 1) ||
    isNear(given, word.slice(1), edits - 1) ||
    (isSwapped && isNear(given.slice(2), word.slice(2), edits - 1))
  );
}
