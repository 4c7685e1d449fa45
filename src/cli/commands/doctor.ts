import { printable } from "../../present/text.ts";
import { type Check, examine } from "../../record/doctor.ts";
import { examineLive } from "../doctor/live-checks.ts";
import { type Command, has, JSON_OPTION } from "../framework/command.ts";
import { redacted } from "../framework/redacted.ts";
import { paint } from "../table.ts";

const STYLES = { ok: "green", warning: "yellow", failed: "red" } as const;

export const command: Command = {
  words: "",
  takes: [0, 0],
  about:
    "Looks at everything Rollcall needs and says what is wrong and what to do about it; with --fix it mends what it safely can. Exits 1 when something is wrong.\nProcesses that are left of sessions which are over are listed, and with --fix ended: only those that carry the marker of a launch of this state folder.",
  options: {
    fix: { about: "mend what can be mended without losing anything, and end what is left of sessions" },
    json: JSON_OPTION,
  },
  examples: [
    ["rollcall doctor", "look"],
    ["rollcall doctor --fix", "look, and mend"],
  ],
  async run(input, output) {
    const fix = has(input, "fix");
    // The command line of an orphan may show a secret.
    const checks = await redacted([...(await examine({ fix })), ...(await examineLive({ fix }))]);
    const isWell = checks.every(({ status }) => status !== "failed");
    if (output.isJson) output.json({ ok: isWell, checks });
    else for (const check of checks) output.line(describe(check));
    return isWell ? 0 : 1;
  },
};

function describe({ name, status, detail, hint }: Check): string {
  const mark = paint(STYLES[status], status.padEnd(7));
  return `${mark}  ${name.padEnd(14)}  ${printable(detail)}${hint === null ? "" : ` ${printable(hint)}`}`;
}
