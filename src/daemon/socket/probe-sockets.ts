import { connect } from "node:net";

const ANSWER_MS = 500;

/** Keeps the sockets at which someone answers. A file that a dead process left does not. */
export async function answering(sockets: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(sockets.map(isAnswered));
  return sockets.filter((_, index) => answers[index]);
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.setTimeout(ANSWER_MS, () => resolve(false));
  socket.once("connect", () => resolve(true));
  socket.once("error", () => resolve(false));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
