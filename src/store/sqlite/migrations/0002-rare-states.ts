/** Nearly every session that is written is running, and nearly all others are stopped: no write of those needs it. */
export const rareStates = `
DROP INDEX sessions_by_state;
CREATE INDEX sessions_by_rare_state ON sessions (state, last_active_at DESC, id)
  WHERE state NOT IN ('running', 'stopped');
`;
