/**
 * What a page of a trace does: tabs, filter, and a player that goes through the run. It reads the page and writes no markup; its hash is in
 * the page, and nothing else may run in it. Where it does not run, all is shown.
 *
 * The part behind `#` of the address is where the page stands: `#tab=events&at=12&errors=1&q=retry`.
 */
export const pageScript = `
'use strict';
(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const one = (id) => document.getElementById(id);
  const given = new URLSearchParams(location.hash.slice(1));
  const rows = all('.row');
  const placed = all('[data-at]').map((element) => ({ element, at: Number(element.dataset.at) }));
  const last = Number(document.body.dataset.last);
  const times = JSON.parse(document.body.dataset.times);
  const bad = new Set(all('.row.bad').map((row) => Number(row.dataset.at)));
  const phaseAt = new Map(rows.map((row) => [Number(row.dataset.at), row.dataset.phase]));
  let at = last;
  let timer;

  const remember = () => {
    const state = new URLSearchParams();
    const tab = all('[data-tab][aria-pressed=true]')[0];
    if (tab) state.set('tab', tab.dataset.tab);
    if (at !== last) state.set('at', String(at));
    if (one('errors').checked) state.set('errors', '1');
    if (one('query').value) state.set('q', one('query').value);
    // A page that was opened from a file may not change its address.
    try { history.replaceState(null, '', '#' + state); } catch {}
  };

  const open = (name) => {
    for (const button of all('[data-tab]')) button.setAttribute('aria-pressed', String(button.dataset.tab === name));
    for (const panel of all('[data-panel]')) panel.hidden = panel.dataset.panel !== name;
  };

  const show = (next) => {
    at = Math.max(0, Math.min(last, next));
    for (const { element, at: place } of placed) element.classList.toggle('later', place > at);
    for (const row of rows) row.classList.toggle('now', at !== last && Number(row.dataset.at) === at);
    one('scrub').value = String(at);
    one('where').textContent = 'event ' + (last < 0 ? 0 : at + 1) + ' of ' + (last + 1);
    remember();
  };

  const filter = () => {
    const query = one('query').value.toLowerCase();
    const errors = one('errors').checked;
    for (const element of all('.row,.card.step')) {
      const isWanted = (!errors || element.classList.contains('bad')) &&
        (query === '' || element.textContent.toLowerCase().includes(query));
      element.classList.toggle('out', !isWanted);
    }
    remember();
  };

  const after = (from) => {
    if (!one('errors').checked) return from + 1;
    for (let next = from + 1; next <= last; next += 1) if (bad.has(next)) return next;
    return last;
  };

  const pause = () => {
    clearTimeout(timer);
    timer = undefined;
    one('play').textContent = 'Play';
  };

  const tick = () => {
    const next = after(at);
    const gap = ((times[next] ?? 0) - (times[at] ?? 0)) / Number(one('speed').value);
    timer = setTimeout(() => {
      show(next);
      const stop = one('break').value;
      if (at >= last || (stop !== '' && phaseAt.get(at) === stop)) pause();
      else tick();
    }, Math.max(100, Math.min(2000, gap)));
  };

  const play = () => {
    if (timer !== undefined) return pause();
    if (at >= last) show(0);
    one('play').textContent = 'Pause';
    tick();
  };

  for (const button of all('[data-tab]')) button.addEventListener('click', () => { open(button.dataset.tab); remember(); });
  one('query').addEventListener('input', filter);
  one('errors').addEventListener('change', filter);
  one('play').addEventListener('click', play);
  one('next').addEventListener('click', () => { pause(); show(after(at)); });
  one('reset').addEventListener('click', () => { pause(); show(0); });
  one('all').addEventListener('click', () => { pause(); show(last); });
  one('scrub').addEventListener('input', () => { pause(); show(Number(one('scrub').value)); });
  const size = (by) => {
    const style = document.documentElement.style;
    style.fontSize = Math.max(60, Math.min(250, (parseFloat(style.fontSize) || 100) + by)) + '%';
  };
  one('smaller').addEventListener('click', () => size(-10));
  one('larger').addEventListener('click', () => size(10));
  const fold = (isOpen) => { for (const card of all('[data-panel]:not([hidden]) details')) card.open = isOpen; };
  one('fold').addEventListener('click', () => fold(false));
  one('unfold').addEventListener('click', () => fold(true));

  one('query').value = given.get('q') ?? '';
  one('errors').checked = given.get('errors') === '1';
  open(given.get('tab') ?? 'steps');
  const place = given.get('at');
  document.querySelector('nav').hidden = false;
  filter();
  show(place === null ? last : Number(place) || 0);
})();
`;
