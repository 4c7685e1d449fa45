import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { NO_USAGE } from "../../domain/usage.ts";
import { finalized, happened, newEvent } from "../../testing/events.ts";
import { shownSession } from "../../testing/records.ts";
import { entryArticle, pageEnd, pageHead, stateRow, transcriptHead } from "./session-page.ts";
import { PAGE_STYLE } from "./style.ts";

const EVIL = `</style></pre><script>alert("1")</script><img src=x onerror='a'>&amp;\u202e\u001b]52;c;eA==\u0007`;
const HASH = createHash("sha256").update(PAGE_STYLE).digest("base64");
const T = "2026-01-08T18:05:30.000Z";

const entry = { seq: 7, at: T, role: "assistant", kind: "text", text: EVIL, tool: null } as const;

function page(): string {
  const session = shownSession({ name: EVIL, goal: EVIL, summary: EVIL, workspacePath: EVIL });
  const call = { name: EVIL, params: { [EVIL]: EVIL }, result: EVIL };
  const state = happened("at_work", { evidence: { source: "process", rule: "r", excerpt: EVIL } });
  return [
    pageHead(session, [shownSession({ id: "a b", name: EVIL })], HASH),
    stateRow({ ...newEvent(state), sessionId: "s", seq: 1 }),
    transcriptHead(),
    entryArticle(entry),
    entryArticle({ ...entry, seq: 8, kind: "tool_call", text: null, tool: call }),
    pageEnd(T),
  ].join("");
}

describe("the page of a session", () => {
  test("escapes everything that agents and users wrote", () => {
    const made = page();
    expect(made).not.toMatch(/<script|<img|onerror=['"]|\p{Bidi_Control}|[^\P{Cc}\n]/u);
    expect(made).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;");
    expect(made.match(/<\/style>/g)).toHaveLength(1);
  });

  test("lets a browser load nothing, and run nothing, but its own style", () => {
    const made = page();
    expect(made).toContain(`default-src &#39;none&#39;; style-src &#39;sha256-${HASH}&#39;`);
    const style = /<style>(.*?)<\/style>/s.exec(made)?.[1] ?? "";
    expect(createHash("sha256").update(style).digest("base64")).toBe(HASH);
    expect(made).not.toMatch(/\b(?:src|srcset|style|on\w+)="|url\(|@import|https?:/);
  });

  test("folds what tools did, and names each entry by its place", () => {
    const made = page();
    expect(made).toMatch(/<article id="entry-8" class="assistant">.*<details><summary>.*<pre>/s);
    expect(made).toContain('<article id="entry-7"');
  });

  test("leads to the pages of its children", () => {
    expect(page()).toContain('href="a%20b.html"');
  });

  test("shows no row for an event that led to no state", () => {
    expect(
      stateRow({ ...newEvent({ kind: "usage_changed", usage: NO_USAGE }), sessionId: "s", seq: 1 }),
    ).toBe("");
  });

  test("shows the end of the work beside the states", () => {
    expect(stateRow({ ...newEvent(finalized("abandoned")), sessionId: "s", seq: 1 })).toContain(
      '<td class="abandoned">abandoned</td>',
    );
  });
});
