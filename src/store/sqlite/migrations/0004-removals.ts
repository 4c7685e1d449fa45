/** Sessions that were removed, and of which events or samples are still to be taken out, a few at a time. */
export const removals = `
CREATE TABLE removals (session INTEGER PRIMARY KEY) STRICT;
`;
