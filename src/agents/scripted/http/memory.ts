/** The memory of this mode's parsers. */
export type HttpMemory = {
  /** The last event that is in the record. */
  readonly lastId?: string;
  /** Whether a request stood when it was last asked for. */
  readonly isAsking?: boolean;
};
