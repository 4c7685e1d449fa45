import { existsSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ErrorCode, RollcallError } from "../domain/errors.ts";
import { checkPattern } from "../domain/screen/screen-rules.ts";
import { KINDS } from "../domain/session/session.ts";
import { events, lines, memories, objects, texts } from "../testing/agents/agent-words.ts";
import { launchRequest } from "../testing/agents/launch-request.ts";
import { expectDeed, expectWellFormed } from "../testing/agents/well-formed-parsed.ts";
import { waiting } from "../testing/arbitraries.ts";
import { runsOf } from "../testing/runs.ts";
import { type Agent, findMode, findModeByName, type Mode } from "./agent.ts";
import { type Deed, keysIn } from "./deed.ts";
import { eventsContract } from "./events.contract.ts";
import { sampleContract, screenContract } from "./fixtures.contract.ts";
import type { LaunchPlan, LaunchRequest } from "./launch.ts";
import { outsideContract } from "./outside.contract.ts";
import type { Parsed } from "./parsed.ts";
import { subagentsContract } from "./subagents.contract.ts";

const NOWHERE = "/nowhere/at/all";
const NATIVE = "11111111-2222-4333-8444-555555555555";
const FRESH = "99999999-8888-4777-8666-555555555555";
/** Stands for the words of any user, and would be dangerous as a name. */
const USER_WORDS = "my secret plan/../../etc $(id)";
const PASSWORD = "the-password-of-this-launch";

/** Every promise of `agent.ts`, for each mode of an agent. */
export function agentContract(agent: Agent): void {
  describe(`the agent ${agent.type}`, () => {
    test("has modes with names of their own, by which each is found again", () => {
      expect(agent.modes.length).toBeGreaterThan(0);
      for (const mode of agent.modes) {
        expect(mode.name).toMatch(/^[a-z][a-z0-9_]*$/);
        expect(findModeByName(agent, mode.name)).toBe(mode);
      }
    });

    test("has a default mode for each kind that it offers, and none for any other", () => {
      for (const kind of KINDS) {
        const first = agent.modes.find((mode) => mode.kind === kind);
        expect(findMode(agent, kind, [])).toBe(first);
        expect(first?.isAskedFor).toBeUndefined();
      }
    });
  });

  for (const mode of agent.modes) {
    const title = `${agent.type} ${mode.name}`;
    planContract(title, mode);
    factsContract(title, mode);
    parserContract(title, mode);
    eventsContract(title, mode);
    controlsContract(title, mode);
    sampleContract(title, agent, mode);
    screenContract(title, agent, mode);
  }
  if (agent.outside) outsideContract(agent.type, agent.outside);
  if (agent.subagents) subagentsContract(agent.type, agent.subagents);
}

function planContract(title: string, mode: Mode): void {
  const requests = requestsFor(mode);

  describe(`the plan of ${title}`, () => {
    test.each(requests)(
      "is the same for the same request, which it leaves as it is ($continues $model)",
      (request) => {
        const frozen = deepFreeze(structuredClone(request));
        const before = { ...process.env };
        const plan = mode.plan(frozen);
        expect(mode.plan(frozen)).toEqual(plan);
        expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
        expect(process.env).toEqual(before);
        expect(existsSync(NOWHERE)).toBe(false);
      },
    );

    test.each(requests)(
      "has a command, and names that nobody's words are part of ($continues $model)",
      (request) => {
        const { command, env, files = {}, nativeId, transcript } = mode.plan(request);
        expect(command.length).toBeGreaterThan(0);
        expect(command.every((word) => typeof word === "string" && !word.includes("\0"))).toBe(true);
        for (const name of Object.keys(files)) expect(name).toMatch(/^[\w-][\w.-]*$/);
        for (const name of Object.keys(env)) expect(name).toMatch(/^(?!ROLLCALL_)[A-Z][A-Z0-9_]*$/);
        expect([nativeId, transcript, ...Object.values(env)].join("\n")).not.toContain(USER_WORDS);
        expect(JSON.stringify([env, files])).not.toContain("a-value-of-the-caller");
      },
    );

    test.each(requests)(
      "passes the caller's own arguments on, in their order ($continues $model)",
      (request) => {
        expect(mode.plan(request).command.slice(-request.args.length)).toEqual(request.args);
      },
    );

    test.each(requests)(
      "has a server exactly if the mode reads its events ($continues $model)",
      (request) => {
        const { server, command } = mode.plan(request);
        expect(server !== undefined).toBe(mode.sources.events !== undefined);
        if (server) expect([server.port, server.password]).toEqual([4711, PASSWORD]);
        // Everyone on the machine can read a command line.
        expect(command.join("\n")).not.toContain(PASSWORD);
      },
    );

    // A mode without conversations has none of these.
    for (const request of requests.filter(({ continues }) => continues !== null))
      test(`continues the conversation that it is given (${request.continues?.how}, ${request.model})`, () => {
        const plan = mode.plan(request);
        // A fork has a conversation of its own.
        expect(plan.nativeId === NATIVE).toBe(request.continues?.how === "resume");
        expect(planText(plan)).toContain(NATIVE);
      });
  });
}

function factsContract(title: string, mode: Mode): void {
  const { capabilities, sources, trust } = mode;

  describe(`the facts of ${title}`, () => {
    test("name a conversation exactly if it could be resumed", () => {
      const names = sources.stream ?? sources.hook ?? sources.events ?? sources.transcript?.identityIn;
      const named = mode.plan(requestFor(mode)).nativeId ?? names;
      expect(named !== undefined).toBe(capabilities.canResume || capabilities.canFork);
    });

    test("have a parser for each source that is trusted", () => {
      const parsers: Readonly<Record<string, unknown>> = {
        terminal: sources.terminal?.report ?? sources.terminal?.title,
        file: sources.file,
        hook: sources.hook,
        protocol: sources.stream ?? sources.events,
        stream: sources.stream ?? sources.events,
        transcript: sources.transcript,
        // A user's own pattern is a rule, too.
        screen: sources.screen ?? !capabilities.tellsTurns,
      };
      expect(trust.filter((source) => !parsers[source])).toEqual([]);
      expect(new Set(trust).size).toBe(trust.length);
    });

    test("agree with each other", () => {
      const { confirmsInput, tellsTurns, isReadyAtExec, outputIsTranscript } = capabilities;
      if (confirmsInput) expect(tellsTurns || sources.transcript !== undefined).toBe(true);
      if (!isReadyAtExec) expect(trust).not.toEqual([]);
      if (outputIsTranscript) expect([sources.stream, sources.transcript]).toEqual([undefined, undefined]);
      if (capabilities.endsTurnsInTranscript) expect(sources.transcript).toBeDefined();
      if (mode.host !== "pty") expect([sources.terminal, sources.screen]).toEqual([undefined, undefined]);
    });

    test("have rules for the screen that can be looked for", () => {
      for (const { pattern, not = "x", says, for: what } of sources.screen?.rules ?? []) {
        for (const source of [pattern, not]) checkPattern(source);
        expect(says === "waiting").toBe(what !== undefined);
      }
    });
  });
}

function parserContract(title: string, mode: Mode): void {
  const { sources } = mode;

  test(`the parsers of ${title} are total and pure for any piece and any memory`, () => {
    fc.assert(
      fc.property(lines, objects, texts, events, memories, (line, object, fields, event, memory) => {
        const parse = (): Parsed[] => [
          sources.stream?.parse(line, memory) ?? {},
          sources.stream?.end?.(memory) ?? {},
          sources.transcript?.parse(line, memory) ?? {},
          sources.terminal?.title?.(line, memory) ?? {},
          sources.terminal?.report?.(fields, memory) ?? {},
          sources.hook?.parse(event, object, memory) ?? {},
          sources.file?.parse(object, memory) ?? {},
          sources.screen?.shown?.(line, memory) ?? {},
          sources.events?.parse({ id: null, name: event, data: line }, memory) ?? {},
          ...(sources.events?.catchUp ?? []).map((one) => one.parse(object, memory)),
          identityParsed(sources.transcript?.identityIn?.(line)),
        ];
        const first = parse();
        expect(parse()).toEqual(first);
        expect(typeof (sources.transcript?.isOwn?.(line) ?? true)).toBe("boolean");
        for (const { path } of sources.events?.catchUp ?? []) expect(path(memory)).toMatch(/^\/[!-~]*$/);
        for (const one of first) expectWellFormed(mode, one);
      }),
      { numRuns: runsOf(500) },
    );
  });
}

function controlsContract(title: string, mode: Mode): void {
  const { controls } = mode;
  const said = fc.string({ unit: "binary", maxLength: 80 });
  // Some agents answer by a number in the id.
  const requests = fc.oneof(
    waiting,
    waiting.map((request) => ({ ...request, requestId: "3:item-1" })),
  );

  describe(`the controls of ${title}`, () => {
    test("are deeds of this mode or nothing, for every request, text and memory", () => {
      fc.assert(
        fc.property(requests, said, memories, (request, text, memory) => {
          const to = { nativeId: NATIVE, memory };
          const deeds = [
            ...[controls.say(to, text), controls.approve(to, request), controls.deny(to, request, null)],
            ...[controls.approveAlways?.(to, request), controls.interrupt(to), controls.stop(to)],
          ];
          for (const deed of deeds) if (deed) expectDeed(mode, deed);
          expectDeedOr("not_offered", mode, () => controls.deny(to, request, text));
          expectDeedOr("bad_input", mode, () => controls.answer(to, request, text));
          expect(controls.emptyBox?.(text)).not.toBe("");
        }),
        { numRuns: runsOf(500) },
      );
    });

    const { tellsTurns, confirmsInput } = mode.capabilities;
    if (tellsTurns && !confirmsInput)
      test("imply that it works once a text is written", () => {
        const deed = controls.say({ nativeId: NATIVE, memory: {} }, "a text");
        expect(deed).toMatchObject({ via: "lines", implies: { signal: { says: "working" } } });
      });

    test("have the reason of a denial in it, or refuse it: no reason is dropped silently", () => {
      fc.assert(
        fc.property(requests, memories, (request, memory) => {
          const to = { nativeId: NATIVE, memory };
          const deed = expectDeedOr("not_offered", mode, () => controls.deny(to, request, "not on a Friday"));
          if (deed) expect(deedText(deed)).toContain("not on a Friday");
        }),
      );
    });
  });
}

/** The deed; undefined where there is none, or where an error of this code says why in one sentence. */
function expectDeedOr(code: ErrorCode, mode: Mode, control: () => Deed | undefined): Deed | undefined {
  try {
    const deed = control();
    if (deed) expectDeed(mode, deed);
    return deed;
  } catch (error) {
    if (!(error instanceof RollcallError)) throw error;
    expect(error).toMatchObject({ code, hint: expect.any(String) });
    return undefined;
  }
}

function requestFor({ sources }: Mode): LaunchRequest {
  return launchRequest({
    args: [`--config=said=${USER_WORDS}`],
    env: { HOME: "/home/someone", PATH: "/usr/bin", API_TOKEN: "a-value-of-the-caller" },
    freshId: FRESH,
    folder: `${NOWHERE}/folder`,
    home: `${NOWHERE}/home`,
    hookScript: `${NOWHERE}/home/run/hook.sh`,
    server: sources.events ? { port: 4711, password: PASSWORD } : null,
  });
}

function requestsFor(mode: Mode): LaunchRequest[] {
  const { canResume, canFork } = mode.capabilities;
  const hows = [...(canResume ? (["resume"] as const) : []), ...(canFork ? (["fork"] as const) : [])];
  return [null, ...hows.map((how) => ({ nativeId: NATIVE, how }))].flatMap((continues) => [
    { ...requestFor(mode), continues },
    { ...requestFor(mode), continues, model: "some-model" },
  ]);
}

function identityParsed(identity: Parsed["identity"]): Parsed {
  return identity === undefined ? {} : { identity };
}

function deedText(deed: Deed): string {
  if (deed.via === "keys")
    return keysIn(deed)
      .map(({ bytes }) => bytes)
      .join("");
  return deed.via === "lines" ? deed.lines.join("\n") : JSON.stringify(deed.body ?? null);
}

function planText(plan: LaunchPlan): string {
  return JSON.stringify([plan.command, plan.env, plan.files, plan.opening, plan.memory]);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
