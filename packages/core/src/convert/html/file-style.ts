/** The file's policy allows only the hash below; a test opens a file to check it. */
export const fileStyle = `:root{color-scheme:light dark;--bg:light-dark(#fbfaf8,#171614);--surface:light-dark(#fff,#1f1e1b);--sunken:light-dark(#f3f1ec,#282622);--line:light-dark(#e4e0d8,#35322d);--ink:light-dark(#1f1d1a,#ece9e3);--ink-2:light-dark(#57524a,#b4aea3);--ink-3:light-dark(#6e685e,#989287);--live:light-dark(#2b58b8,#93b4f7);--fail:light-dark(#a8231c,#f59a90);--add:light-dark(#e7f4eb,#16301f);--del:light-dark(#fbe9e7,#3a1e1b)}
*{box-sizing:border-box;margin:0}
body{background:var(--bg);color:var(--ink);font:1rem/1.625rem system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:45rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}
main>h1{font-size:1.25rem;line-height:1.75rem;font-weight:600}
article{margin-top:1.5rem;display:grid;gap:.75rem;grid-template-columns:minmax(0,1fr)}
.user{justify-self:end;width:fit-content;max-width:85%;margin-left:auto;padding:.5rem 1rem;border-radius:16px 16px 4px 16px;background:var(--sunken)}
.plain{white-space:pre-wrap}
.text>div>*+*{margin-top:.75rem}
.text h1,.text h2,.text h3{font-size:1.125rem;font-weight:600}
.text ul,.text ol{padding-left:1.5rem}
.text code{padding:.125rem .25rem;border-radius:4px;background:var(--sunken);font-size:.8125rem}
.text pre code{padding:0}
.text a{color:var(--live)}
.text blockquote{padding-left:.75rem;border-left:2px solid var(--line);color:var(--ink-2)}
.text table{border-collapse:collapse;font-size:.875rem}
.text :is(th,td){padding:.25rem .5rem;border:1px solid var(--line)}
.dim{color:var(--ink-2)}
.body .dim,p.dim{font-size:.875rem;line-height:1.25rem}
.fail{color:var(--fail)}
img{max-width:100%;height:auto;border-radius:10px}
pre,code{font-family:ui-monospace,"SF Mono",Menlo,Consolas,monospace;font-size:.8125rem;line-height:1.25rem}
pre{padding:.5rem .75rem;border:1px solid var(--line);border-radius:10px;background:var(--surface);overflow-x:auto;white-space:pre-wrap}
.call{font-size:.875rem;line-height:1.25rem}
summary{display:flex;gap:.5rem;align-items:baseline;padding:.375rem 0;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary:focus-visible{outline:2px solid var(--live);outline-offset:2px;border-radius:6px}
summary b{font-weight:500;white-space:nowrap}
summary code{color:var(--ink-2);min-width:0}
.mark{width:1rem;flex:none;color:var(--ink-3)}
.result{margin-left:auto;color:var(--ink-3);white-space:nowrap}
.mark.fail,.result.fail{color:var(--fail)}
.body{display:grid;gap:.5rem;grid-template-columns:minmax(0,1fr);padding:.25rem 0 .5rem 1.5rem}
.why{margin-left:1.5rem;padding:0;border:0;background:none}
.diff span{display:block}
.diff .add{background:var(--add)}
.diff .del{background:var(--del)}
@media print{details::details-content{content-visibility:visible;height:auto}}
`

export const fileStyleHash = 'sha256-RYQRVoYoD+6ZK/BIpV9oOr3ASPwYWZAYnSGyj78EwnM='
