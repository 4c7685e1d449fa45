let crc32: ((text: string) => number) | undefined;

/**
 * A sum over what a row holds: the engine finds damage between its pages, this finds it inside a value. node:zlib is
 * loaded at first use, because a command that only reads needs none of it.
 */
export function rowSum(...values: readonly (string | number | bigint | null)[]): number {
  crc32 ??= process.getBuiltinModule("node:zlib").crc32;
  let text = "";
  for (const value of values) text += `${value ?? ""}\0`;
  return crc32(text);
}
