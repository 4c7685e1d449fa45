import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts";

/** The settings of a file, in which those with a common beginning stand in a group; `names` are all that there are. */
export function* flatten(
  object: JsonObject,
  names: readonly string[],
  prefix = "",
): Iterable<[string, Json]> {
  for (const [key, value] of Object.entries(object)) {
    const name = `${prefix}${key}`;
    const isGroup = isJsonObject(value) && !names.includes(name);
    if (isGroup && names.some((known) => known.startsWith(`${name}.`)))
      yield* flatten(value, names, `${name}.`);
    else yield [name, value];
  }
}

/** The same settings in their groups, as a file has them. */
export function nest(settings: Readonly<Record<string, Json>>): JsonObject {
  const nested: Record<string, Json> = {};
  for (const [name, value] of Object.entries(settings)) {
    const [group, key] = name.split(".") as [string, string | undefined];
    if (key === undefined) nested[group] = value;
    else nested[group] = { ...(nested[group] as JsonObject | undefined), [key]: value };
  }
  return nested;
}
