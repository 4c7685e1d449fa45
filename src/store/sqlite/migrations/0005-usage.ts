/** A request that its provider named is counted once over all sessions; sessions are found by their native id. */
export const usage = `
ALTER TABLE requests ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX shared_requests ON requests (request_key) WHERE shared = 1;
CREATE INDEX sessions_by_native_id ON sessions (native_id) WHERE native_id IS NOT NULL;
`;
