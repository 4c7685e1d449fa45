import type { HistoryDatabase } from "../../history.ts";
import { listOf, objectOf } from "../../json-lines.ts";
import { tree } from "./tree.ts";

/**
 * The tables of OpenCode, from 1.2 on. Earlier releases of them have no column `agent`: its name then means that of the
 * surrounding query. A session is the first record, and each of its messages another one with its parts. The times of the
 * database say nothing, for all sessions share it: a session has changed when one of its rows has, or when there are fewer
 * or more of them. A session without a message is no conversation yet. Each table is read once for the list: it may have no index.
 */
export const database: HistoryDatabase = {
  files: /^opencode(?:-[\w.-]+)?\.db$/u,
  tables: ["session", "message", "part"],
  sessions: `SELECT s.id AS id, 1 + m.rows + coalesce(p.rows, 0) AS records,
    max(s.time_updated, m.changed, coalesce(p.changed, 0)) AS changed
    FROM session s
    JOIN (SELECT session_id, count(*) AS rows, max(time_updated) AS changed FROM message GROUP BY session_id) m
      ON m.session_id = s.id
    LEFT JOIN (SELECT session_id, count(*) AS rows, max(time_updated) AS changed FROM part GROUP BY session_id) p
      ON p.session_id = s.id
    ORDER BY s.time_created, s.id`,
  records: `SELECT kind, id FROM (
      SELECT 'session' AS kind, id, 0 AS place, time_created AS at FROM session WHERE id = $id
      UNION ALL
      SELECT 'message', id, 1, time_created FROM message WHERE session_id = $id)
    ORDER BY place, at, id`,
  record: `SELECT CASE $kind
      WHEN 'session' THEN (SELECT json_object(
        'type', 'session', 'id', s.id, 'parent', s.parent_id, 'directory', s.directory, 'title', s.title,
        'version', s.version, 'agent', (SELECT agent FROM session own WHERE own.id = s.id), 'created', s.time_created)
        FROM (SELECT id, parent_id, directory, title, version, time_created, NULL AS agent FROM session WHERE id = $id) s)
      ELSE (SELECT json_object(
        'type', 'message', 'id', m.id, 'info', json(iif(json_valid(m.data), m.data, 'null')),
        'parts', (SELECT json_group_array(json_object(
            'id', p.id, 'data', json(iif(json_valid(p.data), p.data, 'null'))))
          FROM (SELECT id, data FROM part WHERE message_id = m.id ORDER BY id) p))
        FROM message m WHERE m.id = $id AND octet_length(m.data)
          + coalesce((SELECT sum(octet_length(data)) FROM part WHERE message_id = $id), 0) <= $longest)
    END AS record`,
  /** The parts of a text are written a moment after it. */
  isWhole({ type, info, parts }) {
    if (type !== "message") return true;
    const { role, time } = objectOf(info);
    if (role === "user") return listOf(parts).length > 0;
    return role !== "assistant" || typeof objectOf(time).completed === "number";
  },
  tree,
};

/** The folder with the databases, or the one that the environment names. */
export function databaseRoots(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const data = `${env.XDG_DATA_HOME || `${env.HOME ?? ""}/.local/share`}/opencode`;
  const file = env.OPENCODE_DB;
  if (!file || file === ":memory:") return [data];
  return [file.startsWith("/") ? file : `${data}/${file}`];
}
