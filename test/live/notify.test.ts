import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { rollcallAt } from "./top-terminal.ts";
import { isAlive, type LiveUser, newLiveUser, until } from "./user.ts";

const ASK = 'ask Bash {"command":"make deploy"} ; say done';

test("notify.command hears of a request and of the end, once each, with the session on its standard input", async () => {
  await using user = newLiveUser();
  const told = await tellInto(user);
  await user.start(["scripted", "--name", "deploy", "--prompt", ASK]);
  await until(() => told().length === 1, "the request to be told");
  await user.ok(["end", "deploy"]);
  await until(() => told().length === 2, "the end to be told");
  expect(told()).toMatchObject([
    {
      said: "deploy waits: Bash",
      session: { name: "deploy", state: "waiting_input", waiting: { tool: "Bash" } },
    },
    { said: "deploy is stopped (interrupted)", session: { state: "stopped", outcome: "interrupted" } },
  ]);
});

test("a prompt is told after a turn and not before one", async () => {
  await using user = newLiveUser();
  const told = await tellInto(user);
  await user.start(["scripted", "--name", "chat"]);
  await user.reach("chat", "waiting_input");
  await user.ok(["send", "chat", "say hello", "--wait"]);
  await until(() => told().length === 1, "the prompt to be told");
  await user.ok(["send", "chat", "question Which? a | b"]);
  await until(() => told().length === 2, "the question to be told");
  expect(told().map(({ said }) => said)).toEqual(["chat waits: prompt", "chat waits: Which?"]);
});

test("an autonomous session is told at its end only, and a plain command when its pattern shows", async () => {
  await using user = newLiveUser();
  const told = await tellInto(user);
  await user.ok(["start", "scripted", "say hello", "--wait", "--name", "goal"]);
  await user.start(["--name", "ask", "--wait-pattern", "Go on", "--", "sh", "-c", "echo 'Go on?'; read x"]);
  await until(() => told().length === 2, "both to be told");
  expect(told().map(({ said }) => said)).toEqual(["goal is stopped (success)", "ask waits: prompt"]);
});

test("a crash is told as a failure, with its exit code in the session", async () => {
  await using user = newLiveUser();
  const told = await tellInto(user);
  await user.start(["--name", "crash", "--", "sh", "-c", "exit 7"]);
  await until(() => told().length === 1, "the crash to be told");
  expect(told()[0]).toMatchObject({ said: "crash is failed (failure)", session: { exit_code: 7 } });
});

test("nobody is told of a request that they have in front of them", async () => {
  await using user = newLiveUser();
  const told = await tellInto(user);
  await user.start(["scripted", "--name", "chat"]);
  await user.reach("chat", "waiting_input");
  await using terminal = await rollcallAt(user, ["attach", "chat"]);
  await terminal.shows("Scripted agent");
  await until(async () => (await user.get("chat")).attached === true, "the attachment to be seen");
  terminal.press("question Which? a | b\r");
  await terminal.shows("Choose 1-2:");
  await until(async () => asks(await user.get("chat")), "the question");
  await user.ok(["end", "chat"]);
  await until(() => told().length === 1, "the end to be told");
  expect(told()[0]?.said).toBe("chat is stopped (interrupted)");
});

test("a command that fails, hangs or is none hurts nothing and nobody waits for it", async () => {
  await using user = newLiveUser();
  const told = await tellInto(user);
  const pid = join(user.folder, "pid");
  const logs = () => readFileSync(join(user.state, "daemon.log"), "utf8");
  const crashWith = async (command: string) => {
    await user.ok(["config", "set", "notify.command", command]);
    await user.start(["--name", "crash", "--", "sh", "-c", "exit 7"]);
  };
  await crashWith("exit 3");
  await until(() => logs().includes("it ended with 3"), "the failure to be logged");
  await crashWith("/no/such/program");
  await until(() => logs().includes("it ended with 127"), "the failure to be logged");
  await crashWith(`echo $$ > ${pid}; sleep 1000 & sleep 1000`);
  await until(() => existsSync(pid) && readFileSync(pid, "utf8") !== "", "the hanging command");
  await user.ok(["down"]);
  // It was not waited for until its time was over.
  expect(logs()).not.toContain("it took too long");
  expect(isAlive(Number(readFileSync(pid, "utf8")))).toBe(false);
  expect(told()).toEqual([]);
});

test("one that began to wait twice before anybody could be told is told of once, as it stands", async () => {
  await using user = newLiveUser();
  const [gate, begun] = [join(user.folder, "gate"), join(user.folder, "begun")];
  const told = await tellInto(user, `echo >> ${begun}; until [ -e ${gate} ]; do sleep 0.02; done`);
  await user.start(["scripted", "--name", "chat"]);
  await user.reach("chat", "waiting_input");
  // As many as are told at once: whoever comes now has to wait.
  await Promise.all(Array.from({ length: 4 }, () => user.start(["--", "sh", "-c", "exit 7"])));
  await until(() => existsSync(begun) && readFileSync(begun, "utf8") === "\n\n\n\n", "four to be told");
  for (const text of ["say one", "question Which? a | b"])
    await user.rollcall(["send", "chat", text, "--wait"]);
  writeFileSync(gate, "");
  await until(() => told().length === 5, "the question to be told");
  await user.ok(["end", "chat"]);
  await until(() => told().some(({ said }) => said.startsWith("chat is stopped")), "the end to be told");
  const ofChat = told().filter(({ said }) => said.startsWith("chat"));
  expect(ofChat.map(({ said }) => said)).toEqual(["chat waits: Which?", "chat is stopped (interrupted)"]);
});

test("secrets of the session's environment are not told", async () => {
  await using user = newLiveUser();
  const told = await tellInto(user);
  const env = { DEPLOY_TOKEN: "tok-abcdef-123456" };
  const prompt = "question Is tok-abcdef-123456 right? yes | no";
  await user.start(["scripted", "--name", "leak", "--prompt", prompt], { env });
  await until(() => told().length === 1, "the question to be told");
  expect(told()[0]?.said).toMatch(/^leak waits: Is .+ right\?$/);
  expect(JSON.stringify(told())).not.toContain("tok-abcdef");
});

test("where there is a desktop it is shown there, until that is turned off", async () => {
  await using user = newLiveUser();
  const bin = join(user.folder, "bin");
  const shown = join(user.folder, "shown");
  mkdirSync(bin);
  writeFileSync(join(bin, "notify-send"), `#!/bin/sh\nprintf '%s|' "$@" >> ${shown}; echo >> ${shown}\n`, {
    mode: 0o755,
  });
  await user.ok(["up"], { env: { DISPLAY: ":7", PATH: `${bin}:${user.env.PATH}` } });
  await user.start(["--name", "crash", "--", "sh", "-c", "exit 7"]);
  await until(() => existsSync(shown) && readFileSync(shown, "utf8").endsWith("\n"), "the notification");
  expect(readFileSync(shown, "utf8")).toBe("--app-name=rollcall|--|crash is failed (failure)|\n");
  const told = await tellInto(user);
  await user.ok(["config", "set", "notify.desktop", "false"]);
  await user.start(["--name", "again", "--", "sh", "-c", "exit 7"]);
  await until(() => told().length === 1, "the command to be told");
  expect(readFileSync(shown, "utf8")).not.toContain("again");
});

interface Told {
  readonly said: string;
  readonly session: Shown;
}

/** Sets notify.command of a daemon that runs already; returns what it was told so far. It does something else first. */
async function tellInto(user: LiveUser, first = ":"): Promise<() => Told[]> {
  const file = join(user.folder, "told");
  const program = join(user.folder, "tell.sh");
  // In one write, so that two at once do not mix.
  writeFileSync(
    program,
    `${first}\ninput=$(cat)\nprintf '%s\\t%s\\n' "$ROLLCALL_NOTIFY" "$input" >> ${file}\n`,
  );
  await user.ok(["up"]);
  await user.ok(["config", "set", "notify.command", `sh ${program}`]);
  return () => {
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
    return lines.map((line) => {
      const [said, session] = line.split("\t") as [string, string];
      return { said, session: JSON.parse(session) as Shown };
    });
  };
}

function asks({ waiting }: Shown): boolean {
  return (waiting as { for: string } | null)?.for === "question";
}
