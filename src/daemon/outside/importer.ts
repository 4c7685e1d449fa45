/** The importer, which goes on with histories that were imported. */
export interface Importer {
  covers(agentType: string, path: string): boolean;
  lookSoon(): void;
}
