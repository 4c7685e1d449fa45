/** The first schema. `body` holds the row or event as JSON; the columns beside it are what queries ask for. */
export const record = `
CREATE TABLE sessions (
  -- Never given again: a removed session leaves an event under it.
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  seq INTEGER NOT NULL,
  -- Before the body, which may fill pages of its own: budgets are looked for along the line of parents.
  parent_id TEXT,
  -- 1: a limit of its launch is used up by model requests.
  budgeted INTEGER NOT NULL,
  body TEXT NOT NULL,
  ledger TEXT,
  -- What removed sessions below it had used; null for none.
  removed_ledger TEXT,
  observed TEXT,
  suffix TEXT,
  name TEXT,
  state TEXT NOT NULL,
  live INTEGER NOT NULL,
  outcome TEXT,
  kind TEXT NOT NULL,
  channel TEXT NOT NULL,
  agent_type TEXT NOT NULL,
  agent_name TEXT,
  task_id TEXT,
  native_id TEXT,
  machine TEXT,
  workspace_path TEXT,
  origin TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_active_at TEXT NOT NULL,
  -- Raised by each change of what a record file shows.
  version INTEGER NOT NULL DEFAULT 0,
  -- The version of the record file that is out; null where none is kept.
  file_version INTEGER,
  -- The number of the last durable write, over this table and requests: a copy of the log goes on from it.
  changed INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX sessions_by_change ON sessions (changed);
CREATE INDEX sessions_by_activity ON sessions (last_active_at DESC, id);
CREATE INDEX sessions_by_live ON sessions (live, last_active_at DESC, id);
-- Nearly every session that is written is running, and nearly all others are stopped: no write of those needs it.
CREATE INDEX sessions_by_rare_state ON sessions (state, last_active_at DESC, id)
  WHERE state NOT IN ('running', 'stopped');
CREATE INDEX sessions_by_creation ON sessions (created_at);
CREATE INDEX sessions_by_suffix ON sessions (suffix) WHERE suffix IS NOT NULL;
CREATE INDEX sessions_by_name ON sessions (name) WHERE name IS NOT NULL;
CREATE INDEX sessions_by_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX sessions_by_task ON sessions (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX sessions_by_native_id ON sessions (native_id) WHERE native_id IS NOT NULL;
-- Finds live sessions that Rollcall carries, all or by name, among any number of others.
CREATE INDEX carried_live_sessions ON sessions (name) WHERE live = 1 AND origin = 'started';
CREATE INDEX sessions_with_lagging_file ON sessions (machine) WHERE file_version < version;

-- feed is the order of commits. A removed session leaves one event, of kind deleted, under its number; a restore leaves
-- one, of kind restored, under the number 0. They are never taken out, so that the newest number only rises.
CREATE TABLE events (
  feed INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  at TEXT NOT NULL,
  channel TEXT,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX events_by_session ON events (session, seq);
CREATE INDEX entries_by_session ON events (session, seq) WHERE kind = 'entry_added';

-- Sessions that were removed, and of which events or samples are still to be taken out, a few at a time.
CREATE TABLE removals (session INTEGER PRIMARY KEY) STRICT;

CREATE TABLE tombstones (
  id TEXT PRIMARY KEY,
  agent_type TEXT NOT NULL,
  native_id TEXT,
  -- Under which its usage was counted, and that of its children is.
  name TEXT,
  at TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstones_by_native_id ON tombstones (native_id, agent_type) WHERE native_id IS NOT NULL;

CREATE TABLE requests (
  session INTEGER NOT NULL,
  request_key TEXT NOT NULL,
  at TEXT NOT NULL,
  model TEXT,
  tokens_input INTEGER,
  tokens_output INTEGER,
  tokens_cache_read INTEGER,
  tokens_cache_write INTEGER,
  tokens_cache_write_hour INTEGER,
  tokens_reasoning INTEGER,
  web_searches INTEGER,
  service_tier TEXT,
  speed TEXT,
  reported_nano_usd INTEGER,
  computed_nano_usd INTEGER,
  priced_by TEXT,
  -- 1: the provider gave the key, and it is counted once over all sessions.
  shared INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (session, request_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_by_time ON requests (at);
CREATE UNIQUE INDEX requests_by_change ON requests (changed);
CREATE UNIQUE INDEX shared_requests ON requests (request_key) WHERE shared = 1;

-- The waits of each session for a person that are over; their sum stands in its row.
CREATE TABLE waits (
  session INTEGER NOT NULL,
  since TEXT NOT NULL,
  waited_for TEXT NOT NULL,
  ms INTEGER NOT NULL,
  PRIMARY KEY (session, since)
) STRICT, WITHOUT ROWID;

-- How often each session called each tool; counted with its entries.
CREATE TABLE tool_uses (
  session INTEGER NOT NULL,
  tool TEXT NOT NULL,
  calls INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  PRIMARY KEY (session, tool)
) STRICT, WITHOUT ROWID;

-- One row at most: which log this is, which machine writes it, and up to which number changes were counted at least.
CREATE TABLE log (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL,
  machine_id TEXT,
  changed INTEGER NOT NULL,
  sum INTEGER NOT NULL
) STRICT;

-- What removed sessions had used, by quarter of an hour: totals outlive the records, in days of every time zone.
CREATE TABLE removed_usage (
  quarter TEXT NOT NULL,
  agent TEXT NOT NULL,
  name TEXT NOT NULL,
  model TEXT NOT NULL,
  purpose TEXT NOT NULL,
  folder TEXT NOT NULL,
  requests INTEGER NOT NULL,
  tokens_input INTEGER NOT NULL,
  measured_input INTEGER NOT NULL,
  tokens_output INTEGER NOT NULL,
  measured_output INTEGER NOT NULL,
  tokens_cache_read INTEGER NOT NULL,
  measured_cache_read INTEGER NOT NULL,
  tokens_cache_write INTEGER NOT NULL,
  measured_cache_write INTEGER NOT NULL,
  tokens_reasoning INTEGER NOT NULL,
  measured_reasoning INTEGER NOT NULL,
  nano_usd INTEGER NOT NULL,
  reported INTEGER NOT NULL,
  computed INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (quarter, agent, name, model, purpose, folder)
) STRICT, WITHOUT ROWID;

-- How far each source of a session was read; written with what was read.
CREATE TABLE read_cursors (
  session INTEGER NOT NULL,
  source TEXT NOT NULL,
  byte_offset INTEGER NOT NULL,
  file TEXT,
  memory TEXT NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (session, source)
) STRICT, WITHOUT ROWID;

-- Records of transcripts of a type that the release which read them did not know, for a later one; long ones are cut.
CREATE TABLE unknown_records (
  no INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  -- Their place in the transcript, like the ids of entries.
  key TEXT NOT NULL,
  type TEXT NOT NULL,
  text TEXT NOT NULL,
  -- 1: all of it; 0: its beginning.
  whole INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  UNIQUE (session, key)
) STRICT;

-- Times are milliseconds since 1970: there may be millions of them.
CREATE TABLE samples (
  session INTEGER NOT NULL,
  at INTEGER NOT NULL,
  -- The stretch of time that cpu_percent is the average of.
  over_ms REAL NOT NULL,
  cpu_percent REAL,
  memory_rss_bytes INTEGER,
  memory_vsz_bytes INTEGER,
  io_read_bytes INTEGER,
  io_write_bytes INTEGER,
  io_read_chars INTEGER,
  io_write_chars INTEGER,
  processes INTEGER,
  workspace_bytes_used INTEGER,
  PRIMARY KEY (session, at)
) STRICT, WITHOUT ROWID;

-- Over the life of a session, apart from its samples: thinning does not change them.
CREATE TABLE sample_sums (
  session INTEGER PRIMARY KEY,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  samples INTEGER NOT NULL,
  cpu_percent_ms REAL NOT NULL,
  measured_ms REAL NOT NULL,
  peak_memory_rss_bytes INTEGER
) STRICT;

-- Up to when all samples were thinned to this step of time, up to when the last thinning goes, and the first sample
-- before that which came after it had begun.
CREATE TABLE thinned (
  step_ms INTEGER PRIMARY KEY,
  until INTEGER NOT NULL,
  target INTEGER NOT NULL,
  late INTEGER
) STRICT;

CREATE TABLE delegations (
  no INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  agent_name TEXT,
  task_id TEXT,
  session_id TEXT,
  seq INTEGER,
  resume INTEGER NOT NULL,
  reason TEXT NOT NULL
) STRICT;
CREATE INDEX delegations_by_time ON delegations (at);

-- An index without content: the text stays in events (rowid = feed) and in sessions (rowid = -no).
CREATE VIRTUAL TABLE search USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
`;
