import type { SessionEvent } from "../../domain/session/event.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import type { Entry } from "../../domain/transcript/entry.ts";
import type { Usage } from "../../domain/usage.ts";
import { agentOf, count, duration, money } from "../format.ts";
import { type Html, html, NOTHING } from "./html.ts";
import { PAGE_STYLE } from "./style.ts";

/** The page up to the list of its states. `styleHash` is the base64 of the style's SHA-256. */
export function pageHead(
  session: SessionRecord,
  children: readonly SessionRecord[],
  styleHash: string,
): string {
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`;
  const title = session.name ?? session.id;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${{ html: PAGE_STYLE }}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<div class="sub">${session.id}</div>
</header>
<main>
<section class="panel" aria-label="Facts"><dl>${factsOf(session).flatMap(fact)}</dl></section>
${usagePanel(session)}
${childrenPanel(children)}
<details class="panel"><summary>States</summary>
<div class="wide"><table><thead><tr><th>Time</th><th>What</th><th>State</th><th>By</th></tr></thead><tbody>
`.html;
}

/** A row for an event that led to a state, or ended the work; nothing for others. */
export function stateRow({ at, body }: SessionEvent): string {
  if (body.kind === "finalized") return row(at, body.kind, { state: body.phase, look: body.phase, why: "" });
  if (!("evidence" in body) || !("state" in body)) return "";
  const { source, rule, excerpt } = body.evidence;
  const outcome = "outcome" in body ? body.outcome : null;
  const state = outcome ? `${body.state}, ${outcome}` : body.state;
  const why = [source, rule, excerpt].filter(Boolean).join(": ");
  return row(at, body.kind.replaceAll("_", " "), { state, look: outcome ?? body.state, why });
}

function row(at: string, what: string, shown: { state: string; look: string; why: string }): string {
  return html`<tr><td>${time(at)}</td><td>${what}</td><td class="${shown.look}">${shown.state}</td><td>${shown.why}</td></tr>
`.html;
}

export function transcriptHead(): string {
  return `</tbody></table></div></details>\n<h2>Transcript</h2>\n`;
}

/** Text as it is; what tools were given and gave, and what the agent thought, folded. */
export function entryArticle(entry: Entry): string {
  const { seq, at, role, kind, name, isRewound } = entry;
  const who = `${name ?? role}${isRewound ? " (taken back)" : ""}`;
  const head = html`<div class="head"><span class="who">${who}</span>${time(at)}</div>`;
  const body = kind === "text" || kind === "notice" ? textOf(entry) : folded(entry);
  return html`<article id="entry-${seq}" class="${role}">${head}${body}</article>
`.html;
}

export function pageEnd(made: string): string {
  return html`</main>
<footer>Written by Rollcall, ${made}</footer>
</body>
</html>
`.html;
}

function textOf({ text }: Entry): Html {
  return text === null || text === "" ? NOTHING : html`<div class="text">${text}</div>`;
}

function folded({ kind, text, tool }: Entry): Html {
  const title = tool?.name ?? kind.replace("_", " ");
  const params = json(tool?.params);
  const parts = [text, params, json(tool?.result)].filter((part) => part !== null && part !== "");
  const hint = (params ?? text ?? "").replace(/\s+/g, " ").slice(0, HINT_CHARS);
  const pieces = parts.map((part) => html`<pre>${part}</pre>`);
  return html`<details><summary>${title} <code>${hint}</code></summary>${pieces}</details>`;
}

/** As much of a call as says what it is about. */
const HINT_CHARS = 120;

function json(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

type Fact = readonly [name: string, value: string | null];

function factsOf(session: SessionRecord): Fact[] {
  const { gitBranch, gitCommit, createdAt, lastError } = session;
  return [
    ["Agent", agentOf(session)],
    ["Model", session.model],
    ["State", session.state],
    ["Outcome", session.outcome],
    ["End", session.endReason],
    ["Phase", session.phase],
    ["Purpose", session.purpose],
    ["Goal", session.goal],
    ["Task", session.taskId],
    ["Summary", session.summary],
    ["Last error", lastError?.message ?? null],
    ["Folder", session.workspacePath],
    ["Branch", gitBranch === null ? null : `${gitBranch} ${gitCommit?.slice(0, 10) ?? ""}`],
    ["Machine", session.machine],
    ["Created", createdAt],
    ["Ended", session.finalizedAt ?? session.endedAt],
    ["Duration", session.durationMs === null ? null : duration(session.durationMs)],
  ];
}

function fact([name, value]: Fact): Html[] {
  return value === null || value === "" ? [] : [html`<dt>${name}</dt><dd>${value}</dd>`];
}

function usagePanel({ usage, usageWithChildren }: SessionRecord): Html {
  const both = usageWithChildren.tokensTotal !== usage.tokensTotal;
  return html`<section class="panel wide" aria-label="Usage"><table><thead><tr><th></th><th class="n">Cost</th><th class="n">Tokens</th><th class="n">Turns</th><th class="n">Input</th><th class="n">Output</th><th class="n">Cache read</th><th class="n">Cache write</th></tr></thead><tbody>
${usageRow("Itself", usage)}${both ? usageRow("With children", usageWithChildren) : NOTHING}</tbody></table></section>`;
}

function usageRow(title: string, usage: Usage): Html {
  const cells = [
    `${money(usage.costUsd)}${usage.costSource === null ? "" : ` (${usage.costSource})`}`,
    `${usage.partial && usage.tokensTotal !== null ? "≥" : ""}${count(usage.tokensTotal)}`,
    count(usage.turns),
    count(usage.tokensInput),
    count(usage.tokensOutput),
    count(usage.tokensCacheRead),
    count(usage.tokensCacheWrite),
  ];
  return html`<tr><th>${title}</th>${cells.map((cell) => html`<td class="n">${cell}</td>`)}</tr>`;
}

/** Each leads to the page of that name beside this one. */
function childrenPanel(children: readonly SessionRecord[]): Html {
  if (children.length === 0) return NOTHING;
  const rows = children.map(
    (child) =>
      html`<li><a href="${encodeURIComponent(child.id)}.html">${child.name ?? child.id}</a> ${agentOf(child)}, ${child.state}, ${count(child.usage.tokensTotal)} tokens, ${money(child.usage.costUsd)}</li>`,
  );
  return html`<section class="panel" aria-label="Children"><strong>Children</strong><ul>${rows}</ul></section>`;
}

function time(at: string): Html {
  return html`<time datetime="${at}">${at.replace("T", " ").slice(0, 19)}</time>`;
}
