import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** The one user of the server. */
const USER = "scripted";

export interface Credentials {
  readonly port: number;
  readonly password: string;
}

/** Reads port and password out of the environment, where no process that it starts finds them afterwards. */
export function takeCredentials(env: NodeJS.ProcessEnv): Credentials {
  const { SCRIPTED_AGENT_PORT: port = "", SCRIPTED_AGENT_PASSWORD: password = "" } = env;
  delete env.SCRIPTED_AGENT_PORT;
  delete env.SCRIPTED_AGENT_PASSWORD;
  if (!/^\d{1,5}$/.test(port) || password === "")
    throw new Error("--serve needs SCRIPTED_AGENT_PORT and SCRIPTED_AGENT_PASSWORD.");
  return { port: Number(port), password };
}

/**
 * The status with which a request is refused: 401 without the password, 403 where it comes from a page of a browser or
 * by another name than that of loopback. Undefined where it may pass.
 */
export function refusalOf(
  { authorization = "", host = "", origin }: IncomingHttpHeaders,
  { port, password }: Credentials,
): 401 | 403 | undefined {
  const expected = `Basic ${Buffer.from(`${USER}:${password}`).toString("base64")}`;
  if (!timingSafeEqual(digest(authorization), digest(expected))) return 401;
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  const isOwnOrigin = origin === undefined || names.some((name) => origin === `http://${name}`);
  return names.includes(host) && isOwnOrigin ? undefined : 403;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
