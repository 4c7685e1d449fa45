import { existsSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ErrorCode, RollcallError } from "../domain/errors.ts";
import { checkPattern } from "../domain/screen/screen-rules.ts";
import { KINDS, type Kind, type Waiting } from "../domain/session/session.ts";
import { events, lines, objects, texts } from "../testing/agent-words.ts";
import { waiting } from "../testing/arbitraries.ts";
import { expectWellFormed } from "../testing/well-formed-seen.ts";
import type { Agent, Keystrokes, LaunchPlan, LaunchRequest, Seen, Target } from "./agent.ts";
import { keystrokesIn } from "./keystrokes.ts";

const NOWHERE = "/nowhere/at/all";
const NATIVE = "11111111-2222-4333-8444-555555555555";
const FRESH = "99999999-8888-4777-8666-555555555555";
/** Stands for whatever a user may say, and would be dangerous as a name. */
const SAID = "my secret plan/../../etc $(id)";

const REQUEST: LaunchRequest = {
  sessionId: "session-20260108-120000-abcdef",
  kind: "interactive",
  args: [`--config=said=${SAID}`],
  cwd: "/work",
  model: null,
  env: { HOME: "/home/someone", PATH: "/usr/bin", API_TOKEN: "a-value-of-the-caller" },
  freshId: FRESH,
  continues: null,
  answering: [],
  hookScript: `${NOWHERE}/home/run/hook.sh`,
  folder: `${NOWHERE}/folder`,
  home: `${NOWHERE}/home`,
  node: "/usr/bin/node",
  programs: { scripted: "/opt/rollcall/scripted.cjs" },
};

/** Every promise of `agent.ts`, to be kept by each adapter. */
export function agentContract(agent: Agent): void {
  const { capabilities, observe } = agent;
  const requests = capabilities.kinds.flatMap((kind) => requestsOf(agent, kind));

  describe(`the plan of ${agent.type}`, () => {
    test.each(requests)(
      "is the same for the same request, which it leaves as it is ($kind $continues)",
      (request) => {
        const frozen = deepFreeze(structuredClone(request));
        const before = { ...process.env };
        const plan = agent.plan(frozen);
        expect(agent.plan(frozen)).toEqual(plan);
        expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
        expect(process.env).toEqual(before);
        expect(existsSync(NOWHERE)).toBe(false);
      },
    );

    test.each(requests)(
      "has a command, a host and names that nobody's words are part of ($kind $continues)",
      (request) => {
        const { command, env, files = {}, nativeId, transcript } = agent.plan(request);
        expect(command.length).toBeGreaterThan(0);
        expect(command.every((word) => typeof word === "string" && !word.includes("\0"))).toBe(true);
        for (const name of Object.keys(files)) expect(name).toMatch(/^[\w-][\w.-]*$/);
        for (const name of Object.keys(env)) expect(name).toMatch(/^(?!ROLLCALL_)[A-Z][A-Z0-9_]*$/);
        expect([nativeId, transcript, ...Object.values(env)].join("\n")).not.toContain(SAID);
        expect(JSON.stringify([env, files])).not.toContain("a-value-of-the-caller");
      },
    );

    test.each(requests)(
      "gives the caller's own arguments on, in their order ($kind $continues)",
      (request) => {
        expect(agent.plan(request).command.slice(-request.args.length)).toEqual(request.args);
      },
    );

    test("refuses a kind that it does not offer, or is never asked for it", () => {
      const refused = KINDS.filter((kind) => !capabilities.kinds.includes(kind));
      for (const kind of refused)
        expect(answerOf(() => agent.plan({ ...REQUEST, kind }))).toMatch(/plan|bad_|not_/);
    });

    const going = requests.filter(({ continues }) => continues !== null);
    // An agent without conversations has none of these.
    for (const request of going)
      test(`goes on with the conversation that it is told to (${request.kind} ${request.continues?.how})`, () => {
        const plan = agent.plan(request);
        // A fork has a conversation of its own.
        expect(plan.nativeId === NATIVE).toBe(request.continues?.how === "resume");
        expect(planText(plan)).toContain(NATIVE);
      });
  });

  describe(`what ${agent.type} says it can do`, () => {
    test("is something, each kind once", () => {
      expect(capabilities.kinds.length).toBeGreaterThan(0);
      expect(new Set(capabilities.kinds).size).toBe(capabilities.kinds.length);
    });

    test("names a conversation exactly if it could be resumed", () => {
      const tells = observe.stream ?? observe.hook ?? observe.transcriptName;
      const hasConversations = capabilities.canResume || capabilities.canFork;
      for (const kind of capabilities.kinds) {
        const named = agent.plan({ ...REQUEST, kind }).nativeId ?? tells;
        expect(named !== undefined).toBe(hasConversations);
      }
    });

    test("has a parser for each source that it trusts", () => {
      const parsers: Readonly<Record<string, unknown>> = {
        terminal: observe.report ?? observe.title,
        file: observe.file,
        hook: observe.hook,
        protocol: observe.stream,
        stream: observe.stream,
        transcript: observe.transcript,
        // A user's own pattern is a rule, too.
        screen: observe.screen ?? !capabilities.tellsTurns,
      };
      for (const kind of capabilities.kinds)
        expect(agent.trust(kind).filter((source) => !parsers[source])).toEqual([]);
    });

    test("agrees with itself", () => {
      const { confirmsInput, tellsTurns, isReadyAtExec, outputIsTranscript } = capabilities;
      if (confirmsInput) expect(tellsTurns || observe.transcript !== undefined).toBe(true);
      if (!isReadyAtExec) expect(capabilities.kinds.map((kind) => agent.trust(kind).length)).not.toContain(0);
      if (outputIsTranscript) expect([observe.stream, observe.transcript]).toEqual([undefined, undefined]);
    });

    test("has rules for the screen that can be looked for", () => {
      for (const { pattern, not = "x", says, for: what } of observe.screen ?? []) {
        for (const source of [pattern, not]) checkPattern(source);
        expect(says === "waiting").toBe(what !== undefined);
      }
    });
  });

  describe(`the parsers of ${agent.type}`, () => {
    test("tell nothing or something well-formed, and the same of the same, whatever they are given", () => {
      fc.assert(
        fc.property(lines, objects, texts, events, texts, (line, object, fields, event, notes) => {
          const seen = (): Seen[] => [
            observe.stream?.(line, notes) ?? {},
            observe.transcript?.(line, notes) ?? {},
            observe.title?.(line, notes) ?? {},
            observe.report?.(fields, notes) ?? {},
            observe.hook?.(event, object, notes) ?? {},
            observe.file?.(object, notes) ?? {},
            observe.shown?.(line, notes) ?? {},
            identitySeen(observe.transcriptName?.(line)),
          ];
          const first = seen();
          expect(seen()).toEqual(first);
          expect(typeof (observe.isOwnTranscript?.(line) ?? true)).toBe("boolean");
          for (const one of first) expectWellFormed(agent, one);
        }),
        { numRuns: 500 },
      );
    });
  });

  describe(`what is written to ${agent.type}`, () => {
    test("is keys or nothing, for every kind and request and whatever is said", () => {
      const said = fc.string({ unit: "binary", maxLength: 80 });
      fc.assert(
        fc.property(fc.constantFrom(...KINDS), waiting, said, (kind, request, text) => {
          const { say, approve, approveAlways, deny, answer, interrupt, stop } = agent.controls;
          const to = target(kind);
          const lasting = approveAlways?.(to, request);
          for (const keys of [say(to, text), approve(to, request), lasting, interrupt(to), stop(to)])
            expectKeys(keys, hostOf(agent, kind));
          expectKeys(deny(to, request, null), hostOf(agent, kind));
          expectAnswer(() => deny(to, request, text), hostOf(agent, kind), "not_offered");
          expectAnswer(() => answer(to, request, text), hostOf(agent, kind), "bad_input");
          expect(agent.controls.emptyBox?.(text)).not.toBe("");
        }),
        { numRuns: 500 },
      );
    });

    test("has the reason of a denial in it, or the denial is refused: no reason is lost in silence", () => {
      fc.assert(
        fc.property(fc.constantFrom(...capabilities.kinds), waiting, (kind, request) => {
          const keys = denied(agent, kind, request, "not on a Friday");
          if (keys)
            expect(
              keystrokesIn(keys)
                .map(({ bytes }) => bytes)
                .join(""),
            ).toContain("not on a Friday");
        }),
      );
    });
  });
}

/** The keys, or undefined where it says so in one sentence. */
function denied(agent: Agent, kind: Kind, request: Waiting, reason: string): Keystrokes | undefined {
  try {
    return agent.controls.deny(target(kind), request, reason);
  } catch (error) {
    expect(error).toMatchObject({ code: "not_offered", hint: expect.any(String) });
    return undefined;
  }
}

function requestsOf({ capabilities }: Agent, kind: Kind): LaunchRequest[] {
  const hows = [...(capabilities.canResume ? ["resume"] : []), ...(capabilities.canFork ? ["fork"] : [])];
  const later = hows.map((how) => ({ nativeId: NATIVE, how }) as LaunchRequest["continues"]);
  return [null, ...later].flatMap((continues) => [
    { ...REQUEST, kind, continues },
    { ...REQUEST, kind, continues, model: "some-model" },
  ]);
}

/** With notes of every name, so that a control that needs one has it. */
function target(kind: Kind): Target {
  const notes = new Proxy({}, { get: (_, name) => (typeof name === "string" ? "noted" : undefined) });
  return { kind, nativeId: NATIVE, notes };
}

function identitySeen(identity: Seen["identity"]): Seen {
  return identity === undefined ? {} : { identity };
}

function hostOf(agent: Agent, kind: Kind): LaunchPlan["host"] | undefined {
  return agent.capabilities.kinds.includes(kind) ? agent.plan({ ...REQUEST, kind }).host : undefined;
}

function expectKeys(keys: Keystrokes | undefined, host: LaunchPlan["host"] | undefined): void {
  if (keys === undefined) return;
  expect(keys.bytes).not.toBe("");
  for (const { onScreen } of keystrokesIn(keys)) if (onScreen !== undefined) checkPattern(onScreen);
  // One thing said is one line on pipes, and one paste at a terminal: nothing in it may end it early.
  for (const { bytes } of keystrokesIn(keys))
    if (host === "pipe") expect(bytes.indexOf("\n")).toBe(bytes.length - 1);
    else expect(bytes.split("\u001b[201~").length).toBeLessThanOrEqual(2);
}

function expectAnswer(
  answer: () => Keystrokes | undefined,
  host: LaunchPlan["host"] | undefined,
  code: ErrorCode,
): void {
  try {
    expectKeys(answer(), host);
  } catch (error) {
    if (!(error instanceof RollcallError)) throw error;
    expect(error).toMatchObject({ code, hint: expect.any(String) });
  }
}

function answerOf(plan: () => LaunchPlan): string {
  try {
    return `plan for ${plan().host}`;
  } catch (error) {
    if (error instanceof RollcallError) return error.code;
    throw error;
  }
}

function planText(plan: LaunchPlan): string {
  return JSON.stringify([plan.command, plan.env, plan.files, plan.opening]);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
