import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { act, answer, parseEvent, type RuntimeEvent } from '../../../src/index.ts';
import type { Embedded } from '../../../src/inspect/page/session.ts';
import { Tableau } from '../../../src/inspect/recording/tableau.ts';
import { mermaidText } from '../../../src/machines/diagrams/mermaid-text.ts';
import { playTrace, formatTrace, traceCursor, traceOf, type Trace } from '../../../src/inspect/index.ts';
import { virtualClock } from '../../../src/testing/index.ts';
import { play } from '../../cli/fake-terminal.ts';
import { builtPage } from '../../support/built-package.ts';
import { looker } from './traces-kit.ts';
import { anyCharacter } from '../../support/any-character.ts';

const eventsIn = (lines: string): readonly RuntimeEvent[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => parseEvent(JSON.parse(line)));

let desk: Trace;
beforeAll(async () => {
  const { stdout } = await play(['ask', 'How are retries configured?', 'docs', '--json']);
  desk = traceOf(eventsIn(stdout));
});

const ESC = '\u001b';
/** What models and tools could say to do something to whoever looks. */
const HOSTILE = [
  '</script><script>document.title="owned"</script>',
  '<img src=x onerror="document.title=\'owned\'">',
  '"><svg onload=alert(1)>',
  "javascript:alert('x')",
  '<!--',
  '</pre></details></main>',
  `${ESC}[2J${ESC}]52;c;ZXZpbA==\u0007`,
  '\u202Egnp.exe\u202C',
  '\u0000',
  '\uD800',
  '&lt;b&gt;',
  '`${alert(1)}`',
  'x'.repeat(300_000),
] as const;

const hostileTrace = async (text: string): Promise<Trace> => {
  const evil = looker(1, {
    decide: ({ step }) =>
      step === 0 ? act({ name: 'look', input: { for: text } }) : answer({ [text]: text }),
  });
  return traceOf((await evil.run(text)).events);
};

/** What stands in a page as its recording. */
const embeddedIn = (page: string): Embedded =>
  JSON.parse(
    /<script type="application\/json" id="recording">([^]*?)<\/script>/.exec(page)?.[1] ?? '',
  ) as Embedded;

const pageFor = (trace: Trace): Promise<string> => formatTrace(trace, { as: 'html', page: builtPage() });

describe('[QITOS-79] [QITOS-81] [M51] [M85] a run as one page', () => {
  test('is the page of the inspector, with all events, who took part, and the account of the run in it', async () => {
    const { session, entries, account, damage } = embeddedIn(await pageFor(desk));
    const told = entries.flatMap((entry) => (entry.kind === 'published' ? [entry.event] : []));
    expect(told).toHaveLength(desk.events.filter(({ type }) => type !== 'phase.entered').length);
    expect(account).toEqual(JSON.parse(JSON.stringify(desk.account)));
    expect(damage).toEqual([]);
    expect(session.runs).toMatchObject([{ run: desk.account.runId, agent: 'desk', status: 'completed' }]);
    const tableau = new Tableau();
    for (const entry of entries) tableau.apply(entry);
    const root = tableau.actors.get(`${desk.account.runId}/desk`);
    expect(root).toMatchObject({ status: 'done', role: 'team' });
    const agents = [...tableau.actors.values()].filter(({ role }) => role === 'agent');
    expect(agents.length).toBeGreaterThan(1);
    for (const { chart, taken } of agents) expect([chart, taken.size > 0]).toEqual(['agent', true]);
    expect([...tableau.actors.values()].filter(({ status }) => status === 'active')).toEqual([]);
  });

  test('has a chart of each team, with the states that it entered and the arrows that it took, and no others', async () => {
    const { entries } = embeddedIn(await pageFor(desk));
    const tableau = new Tableau();
    for (const entry of entries) tableau.apply(entry);
    const teams = [...tableau.actors.values()].filter(({ role }) => role === 'team');
    expect(teams.length).toBeGreaterThan(0);
    for (const { actor, chart, states, taken } of teams) {
      const path = actor.slice(actor.indexOf('/') + 1);
      const shape = tableau.charts.get(chart ?? '');
      const phases = desk.events.flatMap((event) =>
        event.type === 'phase.entered' && event.path === path ? [event.phase] : [],
      );
      const known = shape?.states.map(({ key }) => key) ?? [];
      expect(known).toEqual(expect.arrayContaining(phases));
      expect(states).toEqual([shape?.states.find(({ key }) => key === phases.at(-1))?.id]);
      const arrows = new Set(shape?.states.flatMap((state) => state.arrows.map(({ id }) => id)));
      expect([...taken.keys()].filter((arrow) => !arrows.has(arrow))).toEqual([]);
      const moves = phases.filter((phase, index) => index > 0 && phase !== phases[index - 1]);
      expect([...taken.values()].reduce((sum, count) => sum + count, 0)).toBe(moves.length);
    }
  });

  test('loads nothing, and lets no script or style count but its own', async () => {
    const page = await pageFor(desk);
    const hashOf = (tag: string): string =>
      `'sha256-${createHash('sha256')
        .update(new RegExp(`<${tag}(?: type="module")?>([^]*?)</${tag}>`).exec(page)?.[1] ?? '')
        .digest('base64')}'`;
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hashOf('script')}`,
      `style-src ${hashOf('style')}`,
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(page).not.toContain('__NONCE__');
  });

  test.each(HOSTILE.map((text) => [text.slice(0, 40), text] as const))(
    'has %j as text in it, whoever says it',
    async (_, text) => {
      const page = await pageFor(await hostileTrace(text));
      const harmless = await pageFor(await hostileTrace('harmless'));
      const data = /id="recording">([^]*?)<\/script>/.exec(page)?.[1] ?? '';
      expect(page.match(/<script/g)).toHaveLength(harmless.match(/<script/g)?.length ?? 0);
      expect(data).not.toContain('<');
      expect(data).not.toMatch(/(?![\t\n])\p{Cc}|[\u202A-\u202E\u2066-\u2069\uD800-\uDFFF]/u);
      expect(page.replace(data, '').length).toBe(
        harmless.replace(/(id="recording">)[^]*?(<\/script>)/, '$1$2').length,
      );
    },
  );
});

describe('a run as a sequence diagram', () => {
  /** What Mermaid's own parser takes of such a diagram (its grammar of sequences, the part that is used here). */
  const LINE =
    /^ {2}(?:(?:participant|actor) p\d+ as [^\n]+|p\d+(?:->>|-->>|-\)|--x)p\d+: [^\n]+|Note over p\d+: [^\n]+)$/;
  /** Once entities are taken out there is nothing that ends a line, begins a comment or is a word of Mermaid's. */
  const isSafe = (line: string): boolean =>
    LINE.test(line) &&
    !/[#;%<>]|\bend\b|(?:wrap|style|classdef).*:/i.test(
      line.replace(/^[^:]*: |^.* as /, '').replaceAll(/#\d+;/g, ''),
    );

  test('of the desk says who asked whom, and is one that Mermaid takes', async () => {
    const [head, ...lines] = (await formatTrace(desk, { as: 'mermaid' })).trimEnd().split('\n');
    expect(head).toBe('sequenceDiagram');
    expect(lines.filter((line) => !isSafe(line))).toEqual([]);
    const text = lines.join('\n');
    expect(text).toMatch(/actor p0 as outside\n/);
    expect(text).toMatch(/participant p1 as desk\n/);
    expect(text).toMatch(/p0->>p1: begins desk: How are retries configured\?/);
    expect(text).toMatch(/participant p\d+ as offline:offline\n/);
    expect(text).toMatch(/p\d->>p\d: search_documents|p\d->>p\d: documents\.search_documents/);
    expect(text).toMatch(/p\d->>p\d: asks/);
    expect(text).toMatch(/p1-->>p0: /);
  });

  test('whatever is said in it is a line of text', async () => {
    for (const text of [
      ...HOSTILE,
      'a; b\nc #35; %%{init: {}}%% end',
      'wrap: x',
      'style: a;',
      'end',
      'a->>b: c',
    ]) {
      const lines = (await formatTrace(await hostileTrace(text), { as: 'mermaid' }))
        .trimEnd()
        .split('\n')
        .slice(1);
      expect(lines.filter((line) => !isSafe(line))).toEqual([]);
    }
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => isSafe(`  p1->>p0: ${mermaidText(text)}`)),
    );
  });

  test('is bounded, and says how much more there is', async () => {
    const diagram = await formatTrace(desk, { as: 'mermaid', limit: 3 });
    expect(diagram).toMatch(/Note over p0: and \d+ more\n$/);
    expect(diagram.match(/->>/g)).toHaveLength(3);
  });
});

test('a run as NDJSON is read back as it was', async () => {
  expect(eventsIn(await formatTrace(desk, { as: 'ndjson' }))).toEqual(desk.events);
});

describe('[QITOS-80] a run is played', () => {
  test('as it was, at a speed, with no wait longer than it may be', async () => {
    const clock = virtualClock();
    const start = clock.now();
    const gaps = [0, 100, 0, 5_000, 400_000];
    let at = 0;
    const events = desk.events
      .slice(0, gaps.length)
      .map((event, index) => ({ ...event, at: (at += gaps[index] ?? 0) }));
    const seen: (readonly [seq: number, after: number])[] = [];
    const playing = (async () => {
      for await (const { seq } of playTrace({ events }, { speed: 10, clock }))
        seen.push([seq, clock.now() - start]);
    })();
    await clock.advance(3_000);
    await playing;
    expect(seen).toEqual([0, 10, 10, 510, 2_510].map((after, seq) => [seq, after]));
  });

  test('until it is ended', async () => {
    const controller = new AbortController();
    const seen: number[] = [];
    const slow = desk.events.map((event, index) => ({ ...event, at: index * 1_000_000 }));
    for await (const { seq } of playTrace(
      { events: slow },
      { signal: controller.signal, longestMs: 60_000 },
    )) {
      seen.push(seq);
      controller.abort();
    }
    expect(seen).toEqual([0]);
  });
});

describe('[QITOS-82] a run is stepped through', () => {
  test('by event, by step, over what members do, and to the end', () => {
    const cursor = traceCursor(desk);
    expect(cursor.next()).toBe(true);
    expect(cursor.event?.type).toBe('run.started');
    cursor.next('step');
    const { path = '' } = cursor.event ?? {};
    expect(cursor.event?.type).toBe('step.ended');
    expect(cursor.next('over')).toBe(
      desk.events.slice(cursor.position).some((event) => event.type === 'step.ended' && event.path === path),
    );
    while (cursor.next('step'));
    expect(cursor.isAtEnd).toBe(true);
    expect(cursor.progress.status).toBe('completed');
  });

  test('to a breakpoint: whatever it looks for; then back, and the run is as it was', () => {
    const before = JSON.stringify(desk);
    const cursor = traceCursor(desk);
    expect(cursor.runTo(({ phase }) => phase === 'ACT')).toBe(true);
    expect(cursor.event?.phase).toBe('ACT');
    const acted = cursor.position;
    expect(cursor.runTo(({ step, type }) => step === 1 && type === 'model.answered')).toBe(true);
    expect(cursor.event).toMatchObject({ step: 1, type: 'model.answered' });
    expect(cursor.runTo(({ path, seq }) => path === 'desk' && seq > 50)).toBe(true);
    cursor.seek(acted);
    expect(cursor.event?.phase).toBe('ACT');
    expect(cursor.progress.status).toBe('running');
    expect(cursor.runTo(({ path }) => path === 'nobody')).toBe(false);
    expect(cursor.isAtEnd).toBe(true);
    cursor.seek(-1);
    expect([cursor.position, cursor.event]).toEqual([0, undefined]);
    expect(JSON.stringify(desk)).toBe(before);
  });
});
