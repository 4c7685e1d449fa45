import type { HostName } from "../domain/session/carried.ts";
import { acp } from "./acp/host.ts";
import type { Host } from "./host-facts.ts";
import { pipe } from "./pipe/host.ts";
import { pty } from "./pty/host.ts";

export function hostOf(name: HostName): Host {
  return { pty, pipe, acp }[name];
}
