import { createHash } from 'node:crypto';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import { eventRows } from './page/events.ts';
import type { Markup, Shown } from './page/markup.ts';
import { block, dataBlock, grouped, markup, lasting, Markup as Raw } from './page/markup.ts';
import { pageScript } from './page/page-script.ts';
import { pageStyle } from './page/page-style.ts';
import { placesOf, stepCard } from './page/steps.ts';
import { timeline } from './page/timeline.ts';
import { stepsIn } from './step-view.ts';
import type { Trace } from './trace.ts';
import type { TraceAccount } from './trace-account.ts';

/**
 * A run as one page, for a browser: a card for each step, a timeline, all events, its account, a filter, and a player that goes through
 * the run at any speed.
 *
 * The page loads nothing and sends nothing. Its policy lets no script run but its own, and what models, tools and people said is text in
 * it, whatever they said. Of 4,000 events and 1,000 steps on, the middle is left out.
 *
 * @example
 * await writeFile('run.html', traceAsHtml(await readTrace('./traces/r1.jsonl')));
 */
export const traceAsHtml = (trace: Trace): string => {
  const { account, events, damage } = trace;
  const { runId, agent } = account;
  const startedAt = events[0]?.at ?? 0;
  const times = JSON.stringify(events.map(({ at }) => at - startedAt));
  const phases = [...new Set(events.map(({ phase }) => phase))].filter((phase) => phase !== undefined);
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="referrer" content="no-referrer" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${agent} · ${runId}</title>
        <style>${new Raw(pageStyle)}</style>
      </head>
      <body data-last="${events.length - 1}" data-times="${times}">
        ${head(account)} ${controls(phases, events.length)}
        <main>
          <div data-panel="steps">${cards(trace)}</div>
          <div data-panel="timeline">${timeline(events)}</div>
          <div data-panel="events">${eventRows(events)}</div>
          <div data-panel="account">
            <div class="card">${dataBlock(account)}</div>
            ${
              damage.length === 0
                ? undefined
                : markup`<div class="card bad">
                    <h3>Damage</h3>
                    ${dataBlock(damage)}
                  </div>`
            }
          </div>
        </main>
        <script>${new Raw(pageScript)}</script>
      </body>
    </html>
  `.toString();
};

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing is loaded, nothing is sent, and no script or style counts but these two. */
const policy = new Raw(
  `default-src 'none'; script-src ${hashOf(pageScript)}; style-src ${hashOf(pageStyle)}; base-uri 'none'; form-action 'none'`,
);

const head = ({ runId, agent, status, startedAt, input, model, totals, ...rest }: TraceAccount): Markup => {
  const { error, output } = rest;
  const tokens = totals.inputTokens + totals.outputTokens;
  const money = totals.costUsd === undefined ? 'unknown' : `$${totals.costUsd.toPrecision(2)}`;
  const tiles: readonly (readonly [string, string])[] = [
    ['steps', grouped(totals.steps)],
    ['model calls', grouped(totals.modelCalls)],
    ['tool calls', grouped(totals.toolCalls)],
    ['tokens', grouped(tokens)],
    ['cost', totals.costUsd === 0 ? 'none' : money],
    ['retries', grouped(totals.retries)],
    ['time', lasting(totals.durationMs)],
  ];
  return markup`<header>
    <h1>
      ${agent}
      <span class="tag ${status === 'completed' ? 'good' : 'bad'}">${status}${why(rest.stopReason)}</span>
    </h1>
    <p class="note">run ${runId} · begun ${timeOf(startedAt)}${model === undefined ? '' : ` · ${model}`}</p>
    ${input === undefined ? undefined : markup`<p class="input">${wordsOf(input)}</p>`}
    <ul class="tiles">
      ${tiles.map(([name, value]) => markup`<li><b>${value}</b><span>${name}</span></li>`)}
    </ul>
    ${
      output === undefined
        ? undefined
        : markup`<details class="card">
            <summary>Answer</summary>
            ${block(wordsOf(output))}
          </details>`
    }
    ${error === undefined ? undefined : markup`<div class="card bad">${block(`${error.code}: ${error.message}`)}</div>`}
  </header>`;
};

const why = (reason: { readonly kind: StopReason['kind'] } | undefined): string =>
  reason === undefined || reason.kind === 'answered' ? '' : `: ${reason.kind}`;

const wordsOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);

const timeOf = (at: number): string => {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
};

const TABS = ['steps', 'timeline', 'events', 'account'] as const;
const SPEEDS = [0.5, 1, 2, 5, 10, 50] as const;

/** Shown by the script, which gives them their meaning. */
const controls = (phases: readonly string[], count: number): Markup =>
  markup`<nav hidden>
    ${TABS.map((tab) => markup`<button data-tab="${tab}" aria-pressed="false">${tab}</button>`)}
    <input id="query" type="search" placeholder="Filter" aria-label="Filter" />
    <label><input id="errors" type="checkbox" />only errors</label>
    <button id="fold">fold</button><button id="unfold">unfold</button>
    <button id="smaller" aria-label="smaller text">A−</button>
    <button id="larger" aria-label="larger text">A+</button>
    <div class="player">
      <button id="play">Play</button><button id="next">Step</button><button id="reset">Reset</button>
      <button id="all">All</button>
      <input
        id="scrub"
        type="range"
        min="0"
        max="${Math.max(0, count - 1)}"
        value="${Math.max(0, count - 1)}"
        aria-label="Place in the run"
      />
      <span id="where"></span>
      <label>
        speed
        <select id="speed">
          ${SPEEDS.map((speed) => markup`<option value="${speed}"${new Raw(speed === 1 ? ' selected' : '')}>${speed}×</option>`)}
        </select>
      </label>
      <label>
        stop at
        <select id="break">
          <option value="">–</option>
          ${phases.map((phase) => markup`<option>${phase}</option>`)}
        </select>
      </label>
    </div>
  </nav>`;

/** So many steps have a card, half of them the first, half the last. */
const CARDS = 1_000;

const cards = ({ events }: Trace): Shown => {
  const steps = stepsIn(events);
  const places = placesOf(events);
  if (steps.length === 0) return markup`<p class="note">No step was begun</p>`;
  if (steps.length <= CARDS) return steps.map((view) => stepCard(view, places));
  return [
    steps.slice(0, CARDS / 2).map((view) => stepCard(view, places)),
    markup`<p class="note">${grouped(steps.length - CARDS)} steps are not shown: they are in the trace</p>`,
    steps.slice(-CARDS / 2).map((view) => stepCard(view, places)),
  ];
};
