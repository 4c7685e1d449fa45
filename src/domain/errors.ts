/**
 * Every way an operation can fail, with the exit code of the command line. Codes are part of the contract:
 * `2` wrong input, `3` not found, `4` the state forbids it now, `5` timed out, `1` anything else.
 */
export const ERRORS = {
  bad_usage: { exit: 2 },
  bad_input: { exit: 2 },
  bad_json: { exit: 2 },
  bad_id: { exit: 2 },
  bad_phase: { exit: 2 },
  bad_config: { exit: 2 },
  ambiguous_id: { exit: 2 },
  metadata_too_large: { exit: 2 },
  session_not_found: { exit: 3 },
  not_found: { exit: 3 },
  id_in_use: { exit: 4 },
  name_in_use: { exit: 4 },
  finalized: { exit: 4 },
  seq_conflict: { exit: 4 },
  process_alive: { exit: 4 },
  carried: { exit: 4 },
  totals_from_ledger: { exit: 4 },
  not_inside_session: { exit: 4 },
  tmux_missing: { exit: 4 },
  daemon_not_running: { exit: 4 },
  daemon_other_version: { exit: 4 },
  not_carried: { exit: 4 },
  wrong_state: { exit: 4 },
  not_offered: { exit: 4 },
  no_request: { exit: 4 },
  request_changed: { exit: 4 },
  own_request: { exit: 4 },
  budget_spent: { exit: 4 },
  budget_bypassed: { exit: 4 },
  not_proven: { exit: 4 },
  no_native_id: { exit: 4 },
  conversation_held: { exit: 4 },
  not_resumable: { exit: 4 },
  worktree_failed: { exit: 4 },
  settings_changed: { exit: 4 },
  timed_out: { exit: 5 },
  daemon_failed: { exit: 1 },
  holder_missing: { exit: 1 },
  start_failed: { exit: 1 },
  not_delivered: { exit: 1 },
  declined: { exit: 1 },
  settings_failed: { exit: 1 },
  corrupt: { exit: 1 },
  store_full: { exit: 1 },
  store_readonly: { exit: 1 },
  store_corrupt: { exit: 1 },
  store_not_a_database: { exit: 1 },
  store_locked: { exit: 1 },
  store_wrong_owner: { exit: 1 },
  store_exposed: { exit: 1 },
  store_network_filesystem: { exit: 1 },
  store_newer: { exit: 1 },
  store_unreadable: { exit: 1 },
  store_closed: { exit: 1 },
  store_failed: { exit: 1 },
  verify_failed: { exit: 1 },
  backup_failed: { exit: 1 },
  internal: { exit: 1 },
} as const satisfies Record<string, { exit: 1 | 2 | 3 | 4 | 5 }>;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorDetails {
  readonly hint?: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** A failure with a code, one sentence, what to do next (`hint`) and the facts it speaks of. */
export class RollcallError extends Error {
  override readonly name = "RollcallError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.facts = details.facts ?? {};
  }
}

export function exitCodeOf(error: unknown): number {
  return error instanceof RollcallError ? ERRORS[error.code].exit : 1;
}
