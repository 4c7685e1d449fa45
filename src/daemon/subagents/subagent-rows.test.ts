import { join } from "node:path";
import { expect, test } from "vitest";
import type { History } from "../../agents/history.ts";
import { history } from "../../agents/opencode/history/history.ts";
import { subagents } from "../../agents/opencode/history/subagents.ts";
import { usedDatabase, userMessage } from "../../testing/history/opencode/used-database.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { SubagentRowFinder } from "./subagent-rows.ts";

interface Given {
  readonly nativeId?: string | null;
  readonly isThere?: boolean;
  readonly of?: History;
}

/** A conversation in a database with one sub-agent, which has one itself. */
function finderPlace({ nativeId = "ses_1", isThere = true, of = history }: Given = {}) {
  const folder = tempFolder();
  const path = join(folder.path, "opencode.db");
  const database = usedDatabase(path);
  database.write([userMessage("msg_1", 1)]);
  database.write([userMessage("msg_2", 2)], { id: "ses_2", parentId: "ses_1" });
  database.write([userMessage("msg_3", 3)], { id: "ses_3", parentId: "ses_2" });
  database.write([userMessage("msg_4", 4)], { id: "ses_4", parentId: "ses_9" });
  const ports = {
    carrying: { agentPaths: { databases: isThere ? folder.path : null } },
    target: { nativeId },
  };
  const finder = new SubagentRowFinder(ports, subagents, of);
  const found = (isKnown: (path: string) => boolean = () => false) =>
    finder.find(isKnown).map(({ path: at, subagent }) => [at, subagent.nativeId, subagent.parentNativeId]);
  return {
    ...{ path, finder, found },
    [Symbol.dispose]: () => {
      database[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

test("sub-agents in a database are the sessions below this one, at any depth", () => {
  using at = finderPlace();
  expect(at.found()).toEqual([
    [`${at.path}#ses_2`, "ses_2", undefined],
    [`${at.path}#ses_3`, "ses_3", "ses_2"],
  ]);
});

test("a sub-agent in a database that is known, or was left out, is not found again", () => {
  using at = finderPlace();
  expect(at.found((path) => path.endsWith("#ses_2")).map(([, id]) => id)).toEqual(["ses_3"]);
  at.finder.leaveOut(`${at.path}#ses_3`);
  expect(at.found().map(([, id]) => id)).toEqual(["ses_2"]);
});

test("a row that names no session is no sub-agent", () => {
  using at = finderPlace();
  const finder = new SubagentRowFinder(
    { carrying: { agentPaths: { databases: at.path } }, target: { nativeId: "ses_1" } },
    { ...subagents, ofRow: (row) => (row.id === "ses_3" ? undefined : subagents.ofRow(row)) },
    history,
  );
  expect(finder.find(() => false).map(({ subagent }) => subagent.nativeId)).toEqual(["ses_2"]);
});

const { database: _, ...withoutDatabase } = history;

test.each<[string, Given]>([
  ["nobody knows the session's own conversation", { nativeId: null }],
  ["its database is not looked into", { isThere: false }],
  ["its agent keeps none in a database", { of: withoutDatabase }],
])("no sub-agent is found in a database where %s", (_name, given) => {
  using at = finderPlace(given);
  expect(at.found()).toEqual([]);
});
