import { RollcallError } from "../domain/errors.ts";
import { isJsonObject, type JsonObject } from "../domain/json.ts";
import { append, memberOf, type Part, type Place, placeOf, takeOut } from "../domain/json-text.ts";

/** Hooks of one event, in the form that Claude Code began: `{"hooks":{"Stop":[{"matcher":"…","hooks":[…]}]}}`. */
export interface Group {
  readonly matcher?: string;
  readonly hooks: readonly JsonObject[];
}

export type Groups = readonly (readonly [event: string, group: Group])[];

/** A comment of the shell, by which our hooks are known wherever they were moved to. */
const MARK = "# put here by rollcall hooks install";

export function ourHook(command: string, timeoutSeconds: number): JsonObject {
  return { type: "command", command: `${command} ${MARK}`, timeout: timeoutSeconds };
}

/** The settings of a file with these as our only hooks; the same text where they are. */
export function withOurs(text: string, groups: Groups, path: string): string {
  checkLists(text, groups, path);
  if (isSame(oursIn(text), groups)) return text;
  return groups.reduce((edited, [event, group]) => addGroup(edited, event, group), withoutOurs(text));
}

/** The settings without our hooks, and without what held nothing else. */
export function withoutOurs(text: string): string {
  const found = findOurs(text);
  return found ? withoutOurs(takeOut(text, ...found)) : text;
}

export function countOurs(text: string): number {
  return oursIn(text).reduce((count, [, { hooks }]) => count + hooks.filter(isOurs).length, 0);
}

function addGroup(text: string, event: string, group: Group): string {
  const root = placeOf(text);
  const hooks = memberOf(root, "hooks");
  const groups = memberOf(hooks, event);
  if (groups) return append(text, groups, group);
  return hooks ? append(text, hooks, [group], event) : append(text, root, { [event]: [group] }, "hooks");
}

/** The first of our hooks, with as much around it as holds nothing else. */
function findOurs(text: string): [container: Place, part: Part] | undefined {
  const root = placeOf(text);
  const hooks = root.parts.findLast(({ key }) => key === "hooks");
  for (const event of hooks?.value.parts ?? [])
    for (const group of event.value.parts) {
      const list = memberOf(group.value, "hooks");
      const ours = list?.parts.find(({ value }) => isOurs(JSON.parse(text.slice(value.start, value.end))));
      if (!hooks || !list || !ours) continue;
      const around: [Place, Part][] = [
        [root, hooks],
        [hooks.value, event],
        [event.value, group],
        [list, ours],
      ];
      return around.findLast(([container]) => container.parts.length > 1) ?? around[0];
    }
  return undefined;
}

/** Every group that one of our hooks is in. */
function oursIn(text: string): Groups {
  const { hooks } = JSON.parse(text) as JsonObject;
  const groups = isJsonObject(hooks)
    ? Object.entries(hooks).flatMap(([event, list]) =>
        Array.isArray(list) ? list.map((group) => [event, group] as const) : [],
      )
    : [];
  return groups.filter((entry): entry is [string, Group & JsonObject] => {
    const [, group] = entry;
    return isJsonObject(group) && Array.isArray(group.hooks) && group.hooks.some(isOurs);
  });
}

function isOurs(hook: unknown): boolean {
  return isJsonObject(hook) && typeof hook.command === "string" && hook.command.endsWith(MARK);
}

function isSame(some: Groups, others: Groups): boolean {
  const sorted = (groups: Groups) => JSON.stringify(groups.map((group) => JSON.stringify(group)).sort());
  return sorted(some) === sorted(others);
}

function checkLists(text: string, groups: Groups, path: string): void {
  const { hooks = {} } = JSON.parse(text) as JsonObject;
  if (!isJsonObject(hooks)) throw wrongShape(path, "`hooks` is not a JSON object");
  for (const [event] of groups)
    if (hooks[event] !== undefined && !Array.isArray(hooks[event]))
      throw wrongShape(path, `\`hooks.${event}\` is not a list`);
}

function wrongShape(path: string, what: string): RollcallError {
  return new RollcallError("bad_config", `In ${path} ${what}; nothing was changed.`, {
    hint: "Mend it first.",
  });
}
