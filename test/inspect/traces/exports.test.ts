import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { act, answer, parseEvent, type RuntimeEvent } from '../../../src/index.ts';
import { escapeText, markup } from '../../../src/inspect/traces/page/markup.ts';
import { mermaidText } from '../../../src/inspect/traces/sequence-lines.ts';
import {
  playTrace,
  traceAsHtml,
  traceAsLines,
  traceAsSequence,
  traceCursor,
  traceOf,
  type Trace,
} from '../../../src/inspect/index.ts';
import { virtualClock } from '../../../src/testing/index.ts';
import { play } from '../../cli/fake-terminal.ts';
import { chromium, pageOf } from './chromium.ts';
import { looker, temporaryFolder } from './traces-kit.ts';

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

describe('[QITOS-79] [QITOS-81] [M51] [M85] a run as one page', () => {
  test('has a card for each step, a timeline, all events and its account', () => {
    const page = traceAsHtml(desk);
    const steps = desk.events.filter(({ type }) => type === 'step.ended').length;
    expect(steps).toBeGreaterThan(2);
    expect(page.match(/<details class="card step/g)).toHaveLength(steps);
    expect(page.match(/<details class="row/g)).toHaveLength(desk.events.length);
    expect(page.match(/<rect class="(?:model|tool)/g)?.length).toBeGreaterThan(steps);
    expect(page).toContain('data-panel="account"');
    expect(page).toContain(desk.account.runId);
  });

  test('loads nothing, and lets no script or style count but its own', () => {
    const page = traceAsHtml(desk);
    const own = (tag: string): string =>
      `'sha256-${createHash('sha256')
        .update(new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(page)?.[1] ?? '')
        .digest('base64')}'`;
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${own('script')}`,
      `style-src ${own('style')}`,
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    const markup = page.replace(/<script>[^]*<\/script>|<style>[^]*?<\/style>/g, '');
    const names = [...markup.matchAll(/<[a-z][^>]*>/g)].flatMap(([tag]) =>
      [...tag.matchAll(/\s([\w-]+)="/g)].map(([, name = '']) => name),
    );
    expect(names.filter((name) => /^(?:src|href|action|srcset|style|on.*|xlink.*)$/.test(name))).toEqual([]);
    expect(page.match(/<script/g)).toHaveLength(1);
  });

  test.each(HOSTILE.map((text) => [text.slice(0, 40), text] as const))(
    'shows %j as text, whoever says it',
    async (_, text) => {
      const page = traceAsHtml(await hostileTrace(text));
      const harmless = traceAsHtml(await hostileTrace('harmless'));
      const tags = (of: string): readonly string[] => of.match(/<\/?[a-z!][a-z0-9]*/gi) ?? [];
      const kinds = (of: string) => [...new Set(tags(of))].toSorted();
      expect(kinds(page)).toEqual(kinds(harmless));
      expect(page.match(/<script/g)).toHaveLength(1);
      expect(page).not.toMatch(/(?![\t\n])\p{Cc}|[\u202A-\u202E\u2066-\u2069\uD800-\uDFFF]/u);
      expect(page.length).toBeLessThan(1_000_000);
    },
  );

  test('whatever is put into markup is text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const made = escapeText(text);
        expect(made).not.toMatch(/[<>"'`]/);
        expect(markup`<p>${text}</p>`.toString()).toBe(`<p>${made}</p>`);
      }),
    );
  });

  test('of very many events and steps shows the first and the last, and says so', async () => {
    const { events } = await looker(90).run('x');
    const many = Array.from({ length: 6 }, (_, round) =>
      events.map((event) => ({ ...event, seq: event.seq + round * events.length, path: `p${round}` })),
    ).flat();
    const page = traceAsHtml(traceOf(many));
    expect(page.match(/<details class="row/g)).toHaveLength(4_000);
    expect(page).toContain(`${(many.length - 4_000).toLocaleString('en')} events are not shown`);
  });

  test.skipIf(chromium === undefined)(
    '[QITOS-80] in a browser it goes to a place, filters, and runs nothing of what was said',
    async () => {
      const folder = temporaryFolder();
      const file = join(folder, 'run.html');
      writeFileSync(file, traceAsHtml(await hostileTrace(HOSTILE.slice(0, 12).join(' '))));
      const page = pageOf(file, '#tab=events&at=3&q=phase', join(folder, 'profile'));
      expect(page).toMatch(/<title>looker/);
      expect(page).not.toContain('CONSOLE');
      expect(page).toMatch(/data-tab="events" aria-pressed="true"/);
      expect(page).toMatch(/data-panel="steps" hidden/);
      const rows = [...page.matchAll(/<details class="([^"]*)" data-at="(\d+)" data-phase/g)];
      expect(rows.map(([, classes = '', at]) => classes.includes('later') === Number(at) > 3)).not.toContain(
        false,
      );
      expect(rows.filter(([, classes = '']) => classes.includes('now')).map(([, , at]) => at)).toEqual(['3']);
      expect(rows.some(([, classes = '']) => classes.includes('out'))).toBe(true);
      expect(page).toContain('event 4 of ');
    },
  );
});

describe('a run as a sequence diagram', () => {
  /** What Mermaid's own parser takes of such a diagram (its grammar of sequences, the part that is used here). */
  const LINE =
    /^ {2}(?:(?:participant|actor) [pamt]\d+ as [^\n]+|[pamt]\d+(?:->>|-->>|-\)|-x|--x)[pamt]\d+: [^\n]+|Note over a\d+: [^\n]+)$/;
  /** Once entities are taken out there is nothing that ends a line, begins a comment or is a word of Mermaid's. */
  const isSafe = (line: string): boolean =>
    LINE.test(line) &&
    !/[#;%{}<>:]|\bend\b/i.test(line.replace(/^[^:]*: |^.* as /, '').replaceAll(/#\d+;/g, ''));

  test('of the desk says who asked whom, and is one that Mermaid takes', () => {
    const [head, ...lines] = traceAsSequence(desk).trimEnd().split('\n');
    expect(head).toBe('sequenceDiagram');
    expect(lines.filter((line) => !isSafe(line))).toEqual([]);
    const text = lines.join('\n');
    expect(text).toMatch(/participant a0 as desk\n/);
    expect(text).toMatch(/actor p0 as person/);
    expect(text).toMatch(/p0->>a0: How are retries configured\?/);
    expect(text).toMatch(/a\d->>t0: Searching the documents/);
    expect(text).toMatch(/a\d->>m0: 1 messages/);
    expect(text).toMatch(/a0-->>p0: /);
  });

  test('whatever is said in it is a line of text', async () => {
    for (const text of [...HOSTILE, 'a; b\nc #35; %%{init: {}}%% end', 'wrap: x', 'end', 'a->>b: c']) {
      const lines = traceAsSequence(await hostileTrace(text))
        .trimEnd()
        .split('\n')
        .slice(1);
      expect(lines.filter((line) => !isSafe(line))).toEqual([]);
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => isSafe(`  a0->>p0: ${mermaidText(text)}`)),
    );
  });

  test('is bounded, and says how much more there is', () => {
    const diagram = traceAsSequence(desk, { limit: 3 });
    expect(diagram).toMatch(/Note over a0: and \d+ more\n$/);
    expect(diagram.match(/->>/g)).toHaveLength(3);
  });
});

test('a run as NDJSON is read back as it was', () => {
  expect(eventsIn(traceAsLines(desk))).toEqual(desk.events);
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

  test('to a breakpoint: by path, step, phase, type and anything else; then back, and the run is as it was', () => {
    const before = JSON.stringify(desk);
    const cursor = traceCursor(desk);
    expect(cursor.runTo({ phase: 'ACT' })).toBe(true);
    expect(cursor.event?.phase).toBe('ACT');
    const acted = cursor.position;
    expect(cursor.runTo({ step: 1, type: 'model.answered' })).toBe(true);
    expect(cursor.event).toMatchObject({ step: 1, type: 'model.answered' });
    expect(cursor.runTo({ path: 'desk', when: ({ seq }) => seq > 50 })).toBe(true);
    cursor.seek(acted);
    expect(cursor.event?.phase).toBe('ACT');
    expect(cursor.progress.status).toBe('running');
    expect(cursor.runTo({ path: 'nobody' })).toBe(false);
    expect(cursor.isAtEnd).toBe(true);
    cursor.seek(-1);
    expect([cursor.position, cursor.event]).toEqual([0, undefined]);
    expect(JSON.stringify(desk)).toBe(before);
  });
});
