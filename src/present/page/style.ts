/** The whole look of an exported page: light and dark, for a phone, a desktop and paper. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--bg:#f6f7f8;--panel:#fff;--inset:#f1f2f4;--line:#e1e4e8;--t1:#15181d;--t2:#4a515c;--accent:#2f55cf;--fail:#c22f2b;--ok:#0f7256}
@media (prefers-color-scheme:dark){:root{--bg:#0f1114;--panel:#15181c;--inset:#1c2025;--line:#272c33;--t1:#eceff3;--t2:#b0b7c1;--accent:#86a8ff;--fail:#ff7a72;--ok:#4fbf95}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--t1);font:15px/1.55 system-ui,sans-serif}
main,header{max-width:60rem;margin:0 auto;padding:0 1rem}
header{padding-top:1rem}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:2rem 0 .5rem}
a{color:var(--accent)}
.sub,time,.who{color:var(--t2)}
.sub{overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}
dt{color:var(--t2)}
dd{margin:0;overflow-wrap:anywhere}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.25rem .9rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--t2);font-weight:500}
td.n,th.n{text-align:right}
section.panel,article,details.panel{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.75rem 1rem;margin:.75rem 0}
article>.head{display:flex;flex-wrap:wrap;gap:0 .75rem;font-size:.85rem;margin-bottom:.25rem}
article.user{border-left:3px solid var(--accent)}
.who{font-weight:600}
.text{white-space:pre-wrap;overflow-wrap:anywhere}
pre{background:var(--inset);border-radius:4px;padding:.6rem .75rem;margin:.5rem 0 0;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.5 ui-monospace,monospace}
summary{cursor:pointer;overflow-wrap:anywhere}
summary code{font:13px ui-monospace,monospace;color:var(--t2)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.failure,.failed{color:var(--fail)}
.success{color:var(--ok)}
footer{max-width:60rem;margin:0 auto;padding:1rem;color:var(--t2);font-size:.85rem}
@media (max-width:30rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.4rem}}
@media print{body{background:none;font-size:11pt}section.panel,article,details.panel{break-inside:avoid-page;border-color:#999}details::details-content{content-visibility:visible;height:auto}}
`;
