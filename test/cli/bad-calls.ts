/** What is called, and what its message and hint together must say. */
export const BAD_CALLS: Readonly<
  Record<string, readonly (readonly [args: readonly string[], says: readonly string[]])[]>
> = {
  commands: [
    [["bogus"], ["bogus", "create", "list", "hook"]],
    [
      ["help", "bogus"],
      ["bogus", "create"],
    ],
    [
      ["strat", "claude"],
      ["strat", "Did you mean `rollcall start`?", "`rollcall --help`"],
    ],
    [["help", "lits"], ["Did you mean `rollcall list`?"]],
    [["stop"], ["stop", "Valid: create", "end"]],
    [["--bogus"], ["--bogus"]],
    [
      ["--all", "extra"],
      ["extra", "`rollcall --help`"],
    ],
  ],
  options: [
    [
      ["list", "--bogus"],
      ["--bogus", "--active-only", "--json"],
    ],
    [
      ["list", "-x"],
      ["-x", "--active-only"],
    ],
    [
      ["list", "--activ-only"],
      ["--activ-only", "Did you mean --active-only?"],
    ],
    [["list", "--limit"], ["--limit needs a value"]],
    [["list", "--limit", "--json"], ["--limit needs a value"]],
    [["list", "--active-only=yes"], ["--active-only takes no value"]],
    [["list", "--limit", "1", "--limit", "2"], ["--limit is given twice"]],
    [
      ["list", "extra"],
      ["extra", "`rollcall list --help`"],
    ],
    [["list", "--constructor"], ["--constructor is not an option"]],
    [["list", "--__proto__", "x"], ["not an option"]],
    [["get"], ["needs ID"]],
    [["get", ""], ["empty"]],
    [
      ["get", "a", "b"],
      ["does not take", "b"],
    ],
    [["update", "s1"], ["nothing to update"]],
    [["finalize", "s1"], ["completed|failed|abandoned"]],
    [["delete"], ["needs ID"]],
    [["search"], ["needs QUERY"]],
    [["samples"], ["needs ID"]],
    [
      ["samples", "s1", "--since", "noon"],
      ["noon", "--since"],
    ],
    [
      ["completion", "tcsh"],
      ["tcsh", "bash, zsh, fish"],
    ],
    [["completion"], ["bash|zsh|fish"]],
    [["hooks", "install"], ["needs the type of an agent"]],
    [
      ["hooks", "fly", "claude"],
      ["fly", "install, remove"],
    ],
    [
      ["hooks", "install", "emacs"],
      ["emacs", "Valid: claude."],
    ],
  ],
  ids: [
    [
      ["create", "--id", "../../etc/passwd"],
      ["etc/passwd", "letters, digits"],
    ],
    [["create", "--id", "a/b"], ["letters, digits"]],
    [["create", "--id", "a..b"], ["without `..`"]],
    [["create", "--id", ".hidden"], ["beginning with a letter or digit"]],
    [["create", "--id", "-rf"], ["-rf"]],
    [["create", "--id=--json"], ["letters, digits"]],
    [["create", "--id", "x".repeat(10_240)], ["1 to 128"]],
    [["create", "--id", "x".repeat(129)], ["1 to 128"]],
    [["create", "--id", "sеssion-1"], ["letters, digits"]],
    [["create", "--id", "a\u202eb"], ["letters, digits"]],
    [["create", "--id", "a\nb"], ["letters, digits"]],
    [["create", "--id", "a b"], ["letters, digits"]],
    [["create", "--id", ""], ["letters, digits"]],
    [["create", "--id", "last"], ["`last` and `self` are taken"]],
    [["create", "--id", "self"], ["`last` and `self` are taken"]],
    [["create", "--parent", ""], ["cannot be the id"]],
    [
      ["get", "../../etc/passwd"],
      ["etc/passwd", "the full id"],
    ],
    [
      ["get", "--", "-rf"],
      ["-rf", "the full id"],
    ],
    [["get", "x".repeat(10_240)], ["the full id"]],
    [["update", "a\u0007b", "--name", "x"], ["the full id"]],
    [["finalize", "/etc/passwd", "completed"], ["the full id"]],
    [["should-resume", "../s1"], ["the full id"]],
    [["export", "../s1"], ["the full id"]],
    [["events", "../s1"], ["the full id"]],
    [["reconcile", "--current", "../s1"], ["the full id"]],
  ],
  names: [
    [["create", "--name", ""], ["1 to 128 characters"]],
    [["create", "--name", "a/b"], ["without slashes"]],
    [["create", "--name", "last"], ["`last` and `self` are taken"]],
    [["create", "--name", "x".repeat(129)], ["1 to 128 characters"]],
    [["update", "s1", "--name", "-x"], ["a dash before it"]],
    [["update", "s1", "--name", " x"], ["blanks around it"]],
    [["update", "s1", "--name", "a\u001b]0;b"], ["control characters"]],
    [["update", "s1", "--name", "self", "--metadata", '{"a":1}'], ["taken"]],
  ],
  words: [
    [
      ["create", "--kind", "batch"],
      ["batch", "interactive, autonomous, acp"],
    ],
    [
      ["create", "--channel", "smoke"],
      ["smoke", "telegram"],
    ],
    [
      ["create", "--type", "bot"],
      ["bot", "claude, codex"],
    ],
    [
      ["create", "--type", "Claude"],
      ["Claude", "claude, codex"],
    ],
    [
      ["update", "s1", "--phase", "done", "--error", "e", "--metadata", '{"a":1}'],
      ["done", "initializing", "abandoned"],
    ],
    [["update", "s1", "--phase", ""], ["is not a phase"]],
    [
      ["update", "s1", "--status", "running"],
      ["running", "active, completed"],
    ],
    [
      ["update", "s1", "--resume-ready", "yes"],
      ["yes", "true, false"],
    ],
    [["update", "s1", "--phase", "completed", "--status", "active"], ["completed"]],
    [
      ["finalize", "s1", "success"],
      ["success", "completed, failed, abandoned"],
    ],
    [
      ["finalize", "s1", "planning"],
      ["planning", "completed, failed, abandoned"],
    ],
    [
      ["list", "--state", "asleep"],
      ["asleep", "waiting_input", "detached"],
    ],
    [
      ["list", "--status", "dead"],
      ["dead", "cancelled"],
    ],
    [
      ["list", "--kind", "batch"],
      ["batch", "autonomous"],
    ],
    [
      ["list", "--channel", "smoke"],
      ["smoke", "telegram"],
    ],
    [
      ["list", "--where", "task"],
      ["task", "KEY=VALUE"],
    ],
    [["list", "--where", "=x"], ["KEY=VALUE"]],
    [
      ["stats", "--by", "moon"],
      ["moon", "agent, name, model, day"],
    ],
    [
      ["export", "s1", "--format", "pdf"],
      ["pdf", "json, md"],
    ],
  ],
  metadata: [
    [
      ["create", "--metadata", "{"],
      ["not valid JSON", "task_id"],
    ],
    [["create", "--metadata", "[1]"], ["JSON object"]],
    [["create", "--metadata", "null"], ["JSON object"]],
    [["create", "--metadata", '"text"'], ["JSON object"]],
    [["create", "--metadata", JSON.stringify({ a: "x".repeat(70_000) })], ["65536"]],
    [["update", "s1", "--metadata", "[]"], ["JSON object"]],
    [
      ["update", "s1", "--phase", "planning", "--metadata", JSON.stringify({ b: "x".repeat(40_000) })],
      ["65536"],
    ],
  ],
  numbers: [
    ...["0", "-1", "1.5", "abc", "", " 1", "1e3", "0x10", "99999999999999999999"].map(
      (limit) =>
        [
          ["list", "--limit", limit],
          [JSON.stringify(limit), "from 1 up", "all"],
        ] as const,
    ),
    [["search", "x", "--limit", "0"], ["from 1 up"]],
    [["events", "--limit", "abc"], ["from 1 up"]],
    [["update", "s1", "--name", "n", "--expected-seq", "-1"], ["--expected-seq"]],
    [["create", "--pid", "0"], ["--pid"]],
    [["create", "--pid", "abc"], ["--pid"]],
    [["create", "--pid", "999999999"], ["no process 999999999"]],
    ...["-1", "abc", "", "1e3", "NaN", "Infinity"].map(
      (hours) =>
        [
          ["cleanup", "--hours", hours],
          [JSON.stringify(hours), "number from 0 up"],
        ] as const,
    ),
  ],
  times: [
    ...[
      "yesterday",
      "2026-13-01",
      "2026-02-30",
      "2026-01-01T25:00",
      "5x",
      "",
      "-2h",
      "2026-01-01T00:00:00+02:00",
    ].map(
      (time) =>
        [
          ["list", "--since", time],
          [JSON.stringify(time), "2026-01-08", "2h"],
        ] as const,
    ),
    [["list", "--until", "soon"], ["--until"]],
    [["list", "--created-since", "soon"], ["--created-since"]],
    [["list", "--created-until", "soon"], ["--created-until"]],
    [["stats", "--since", "soon"], ["--since"]],
    [["search", "x", "--since", "soon"], ["--since"]],
  ],
  cursors: [
    [
      ["list", "--cursor", "garbage"],
      ["garbage", "next_cursor"],
    ],
    [["list", "--cursor", ""], ["cursor"]],
    [["search", "x", "--cursor", "garbage"], ["garbage"]],
    [["events", "--after", "garbage"], ["garbage"]],
    [
      ["events", "s1", "--after", "garbage"],
      ["garbage", "from 0 up"],
    ],
    [["events", "s1", "--after", "-1"], ["from 0 up"]],
  ],
  texts: [
    [
      ["create", "--purpose", "x".repeat(5000)],
      ["purpose", "4096"],
    ],
    [
      ["update", "s1", "--error", "x".repeat(70_000), "--metadata", '{"a":1}'],
      ["error", "65536"],
    ],
    [["search", "--", "***"], ["letters or digits"]],
    [["search", "--", "-x"], ["no word to look for"]],
    [
      ["search", "x", "--outcome", "won"],
      ["won", "success"],
    ],
    [
      ["search", "x", "--role", "boss"],
      ["boss", "assistant"],
    ],
  ],
};
