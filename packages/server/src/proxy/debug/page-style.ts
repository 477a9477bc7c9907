/** The debug page's style, in light and dark, from 320 px on. */
export const pageStyle: string = `
:root {
  --back: #ffffff; --card: #f6f7f9; --line: #d9dde3; --text: #1c2330; --dim: #5a6577; --accent: #1f5fbf;
  --bad: #b3261e; --bad-back: #fdeceb; --good: #1a7340; --code: #eef0f4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #12151b; --card: #1a1f27; --line: #313947; --text: #e4e8ee; --dim: #9aa6b8; --accent: #8ab4f8;
    --bad: #f2b8b5; --bad-back: #3b2020; --good: #7fd6a2; --code: #0d1015;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: 0 16px; align-items: baseline; padding: 16px; border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 18px; }
#state { margin: 0; color: var(--dim); }
main { max-width: 960px; margin: 0 auto; padding: 16px; }
details { margin: 0 0 8px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); overflow: hidden; }
summary { display: flex; flex-wrap: wrap; gap: 2px 12px; padding: 10px 12px; cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
summary .model { font-weight: 600; overflow-wrap: anywhere; }
summary .dim, .dim { color: var(--dim); }
summary .count { margin-left: auto; white-space: nowrap; }
.bad { color: var(--bad); }
.good { color: var(--good); }
.inside { padding: 4px 12px 12px; border-top: 1px solid var(--line); }
h2 { margin: 12px 0 4px; font-size: 13px; font-weight: 600; color: var(--dim); }
pre { margin: 0; padding: 8px 10px; max-height: 360px; overflow: auto; background: var(--code); border-radius: 6px;
  font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
ul { margin: 0; padding-left: 20px; }
li { overflow-wrap: anywhere; }
.remark { margin: 4px 0; padding: 6px 10px; border-radius: 6px; background: var(--bad-back); color: var(--bad); overflow-wrap: anywhere; }
.remark.calm { background: var(--code); color: var(--dim); }
button { margin-top: 12px; padding: 6px 12px; font: inherit; color: var(--accent); background: none; border: 1px solid var(--line);
  border-radius: 6px; cursor: pointer; }
.link { display: inline-block; margin: 8px 16px 0 0; color: var(--accent); }
.link:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 480px) { main { padding: 8px; } summary .count { margin-left: 0; width: 100%; } }
`
