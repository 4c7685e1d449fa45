import type { z } from "zod";

/** The permission that a caller needs. */
export type Scope = "read" | "input" | "admin";

/** One thing that a program can ask of the daemon. Every door (socket, HTTP, MCP, client) is made from these. */
export interface Operation {
  readonly about: string;
  readonly scope: Scope;
  /** In snake_case, as on every wire. */
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}
