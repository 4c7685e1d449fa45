/** Finds live sessions that Rollcall carries, all or by name, among any number of others. */
export const carried = `
CREATE INDEX carried_live_sessions ON sessions (name) WHERE live = 1 AND origin = 'started';
`;
