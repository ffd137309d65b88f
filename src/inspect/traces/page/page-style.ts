/** How a page of a trace looks; its hash is in the page, and nothing else may style it. */
export const pageStyle = `
:root{color-scheme:light dark;--ink:#1c2330;--dim:#687083;--line:#dfe3ea;--paper:#fff;--ground:#f5f6f9;--blue:#2b62d9;--green:#1a7f4b;--red:#c2352b;--amber:#b56a00;--code:#f1f3f7}
@media (prefers-color-scheme:dark){:root{--ink:#e5e9f0;--dim:#98a2b3;--line:#313845;--paper:#1a1f28;--ground:#12161d;--blue:#7fa6ff;--green:#58c48d;--red:#ff8077;--amber:#f0b357;--code:#11151c}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
header,main,nav{max-width:84rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:1.25rem}
h1{font-size:1.35rem;margin:0 0 .25rem;overflow-wrap:anywhere}
h3{font-size:.85rem;font-weight:600;margin:.75rem 0 .25rem}
.input{margin:.25rem 0;white-space:pre-wrap;overflow-wrap:anywhere;max-height:9rem;overflow:auto}
.dim,.note{color:var(--dim)}
.note{font-size:.85rem;margin:.35rem 0}
.tag{display:inline-block;padding:0 .5rem;border-radius:1rem;font-size:.8rem;background:var(--code);border:1px solid var(--line)}
.good{color:var(--green)}.tag.bad,.bad>summary .tag{color:var(--red)}
.tiles{display:flex;flex-wrap:wrap;gap:.5rem;margin:.75rem 0;padding:0;list-style:none}
.tiles li{background:var(--paper);border:1px solid var(--line);border-radius:.5rem;padding:.35rem .75rem}
.tiles b{display:block;font-size:1.05rem}.tiles span{font-size:.78rem;color:var(--dim)}
nav{position:sticky;top:0;z-index:1;background:var(--ground);border-bottom:1px solid var(--line);padding-top:.5rem;padding-bottom:.5rem;display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
button,select,input{font:inherit;font-size:.88rem;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:.4rem;padding:.25rem .6rem}
button{cursor:pointer}button[aria-pressed=true]{background:var(--blue);border-color:var(--blue);color:var(--paper)}
label{font-size:.88rem;display:inline-flex;align-items:center;gap:.3rem}
.player{display:flex;flex:1 1 100%;gap:.5rem;align-items:center;flex-wrap:wrap}
.player input[type=range]{flex:1 1 12rem;padding:0;accent-color:var(--blue)}
#where{min-width:9rem;font-size:.88rem;color:var(--dim)}
main{padding-top:1rem;padding-bottom:3rem}
.card{background:var(--paper);border:1px solid var(--line);border-left:.25rem solid var(--blue);border-radius:.5rem;padding:.5rem .9rem;margin:0 0 .6rem}
.card.bad{border-left-color:var(--red)}
summary{cursor:pointer;overflow-wrap:anywhere}
.cost{float:right;font-size:.85rem}
.call.bad h3{color:var(--red)}
.think{margin:.25rem 0;color:var(--dim)}
pre{margin:.25rem 0;padding:.5rem .7rem;background:var(--code);border-radius:.4rem;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;font:.82rem/1.45 ui-monospace,monospace;max-height:24rem;overflow:auto}
.row{border-bottom:1px solid var(--line);background:var(--paper);padding:.15rem .5rem;font-size:.88rem}
.row>summary{display:flex;gap:.75rem;list-style:none}
.row .seq{flex:0 0 3rem;text-align:right;color:var(--dim)}.row .when{flex:0 0 5.5rem;color:var(--dim)}
.row .type{flex:0 0 11rem;font-family:ui-monospace,monospace;font-size:.8rem;color:var(--blue)}
.row .path{flex:0 1 14rem;color:var(--dim);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.row .words{flex:1 1 12rem;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;unicode-bidi:isolate}
.row.bad .type,.row.bad .words{color:var(--red)}
.row.now{outline:2px solid var(--blue);outline-offset:-2px}
svg{width:100%;background:var(--paper);border:1px solid var(--line);border-radius:.5rem}
svg text{font-size:12px;fill:var(--ink)}svg .tick{fill:var(--dim);text-anchor:middle;font-size:11px}svg line{stroke:var(--line)}
rect.step{fill:var(--blue);opacity:.18}rect.model{fill:var(--amber)}rect.tool{fill:var(--green)}rect.bad{fill:var(--red)}
.key{display:inline-block;width:.8rem;height:.6rem;border-radius:2px;margin-left:.6rem}
.key.step{background:var(--blue);opacity:.3}.key.model{background:var(--amber)}.key.tool{background:var(--green)}.key.bad{background:var(--red)}
.later{display:none}rect.later{display:inline;opacity:.06}
.out{display:none}
[hidden]{display:none}
@media print{nav{display:none}pre{max-height:none}}
`;
