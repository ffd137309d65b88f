import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../src/inspect/recording/entry.ts';
import { withClosedGroups } from '../../../src/inspect/drawing/closed-groups.ts';
import { compositionIn } from '../../../src/inspect/recording/composition-in.ts';
import type { Work } from '../../../src/inspect/recording/work-of.ts';
import { busiestPlace, timeOf, workOf } from '../../../src/inspect/recording/work-of.ts';
import { workWords } from '../../../src/inspect/page/graph/work-words.ts';
import { compositionDrawing } from '../../../src/inspect/drawing/composition-drawing.ts';
import type { Rectangle } from '../../../src/inspect/drawing/flow-layout.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { Tableau } from '../../../src/inspect/recording/tableau.ts';
import { recordingOf } from '../../../src/inspect/traces/recorded/trace-recording.ts';
import type { Composition } from '../../../src/machines/diagrams/composition.ts';
import { parallel, pipeline, workflow } from '../../../src/patterns/index.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { allRows } from '../../coordination/all-rows.ts';
import { newsroom } from './newsroom.ts';
import { troupeOf } from './troupe-of.ts';

const says = (name: string, ...script: Parameters<typeof scriptedModel>[0]) =>
  agent({ name, model: scriptedModel(script), failures: { retry: { attempts: 1 } } });

interface Recorded {
  readonly entries: readonly Entry[];
  readonly composition: Composition;
}

const recordedOf = (record: ReturnType<typeof recorder>): Recorded => {
  const entries = [...record.recording.from()].map((line) => JSON.parse(line) as Entry);
  const root = entries.find((entry) => entry.kind === 'actor');
  if (root?.kind !== 'actor' || root.composition === undefined) throw new Error('nothing is composed');
  return { entries, composition: root.composition };
};

const rootOf = (tableau: Tableau) => {
  const [root] = tableau.actors.values();
  if (root === undefined) throw new Error('nobody is there');
  return root;
};

const timesOf = (entries: readonly Entry[]) => ({
  at: (n: number) => entries[n]?.at,
  now: entries.at(-1)?.at ?? 0,
});

const overlap = (one: Rectangle, other: Rectangle): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

const worksAt = ({ entries, composition }: Recorded, length = entries.length): ReadonlyMap<string, Work> => {
  const tableau = new Tableau();
  for (const entry of entries.slice(0, length)) tableau.apply(entry);
  return workOf(composition, rootOf(tableau), tableau);
};

const approved = async (): Promise<Recorded> => {
  const record = recorder();
  const run = newsroom().stream('What became of the ferry?', { inspect: record });
  await expect.poll(() => run.requests.length).toBe(1);
  run.approve(run.requests[0]?.id ?? '');
  await run.result;
  return recordedOf(record);
};

describe.each(allRows)('the work of the pattern $name', ({ make, says: good }) => {
  test('is lit for each member that is engaged, at every place of the recording, and all of it is drawn', async () => {
    const member = (name: string) => says(name, ...Array.from({ length: 20 }, () => good(name)));
    const record = recorder();
    await make({ ann: member('ann'), bob: member('bob') }).run('tea', { inspect: record });
    const { entries, composition } = recordedOf(record);
    const tableau = new Tableau();
    let engaged = 0;
    for (const entry of entries) {
      tableau.apply(entry);
      // Only then does it stand otherwise with somebody.
      if (entry.kind !== 'actor' && entry.kind !== 'gone') continue;
      const root = rootOf(tableau);
      const works = [...workOf(composition, root, tableau).values()];
      const members = [...tableau.actors.values()].filter(
        ({ parent, role }) => parent === root.actor && (role === 'agent' || role === 'team'),
      );
      engaged = members.length;
      for (const { actor, status } of members) {
        const own = works.filter(({ actors }) => actors.some((each) => each.actor === actor));
        expect(own.length, actor).toBe(1);
        expect(status === 'active' && own[0]?.status !== 'active', actor).toBe(false);
      }
    }
    expect(engaged).toBeGreaterThan(0);
    const places = new Set(workOf(composition, rootOf(tableau), tableau).keys());
    const { boxes } = compositionDrawing(withClosedGroups(composition));
    expect(boxes.filter(({ place }) => !places.has(place))).toEqual([]);
  });
});

describe('the work of a run', () => {
  test('is lit at every place of its recording by who is at work there, and who waits for a person', async () => {
    const recorded = await approved();
    const tableau = new Tableau();
    let [lit, waiting] = [0, 0];
    for (const entry of recorded.entries) {
      tableau.apply(entry);
      if (tableau.actors.size === 0) continue;
      const works = workOf(recorded.composition, rootOf(tableau), tableau);
      for (const role of ['supervisor', 'researcher', 'archivist', 'writer']) {
        const own = [...tableau.actors.values()].filter(({ actor }) =>
          new RegExp(`/newsroom/${role}-\\d+$`).test(actor),
        );
        const work = works.get(role);
        const isActive = own.some(({ status }) => status === 'active');
        expect(work?.actors.length, `${role} at ${entry.n}`).toBe(own.length);
        expect(['active', 'waits'].includes(work?.status ?? ''), `${role} at ${entry.n}`).toBe(isActive);
        expect(work?.status === 'idle', `${role} at ${entry.n}`).toBe(own.length === 0);
        const isAsked = [...tableau.actors.values()].some(
          (view) =>
            view.role === 'person' &&
            view.status === 'active' &&
            own.some((each) => each.actor === view.parent),
        );
        expect(work?.status === 'waits', `${role} at ${entry.n}`).toBe(isAsked && isActive);
        lit += isActive ? 1 : 0;
        waiting += isAsked ? 1 : 0;
      }
    }
    expect(Math.min(lit, waiting)).toBeGreaterThan(0);
    const ended = worksAt(recorded);
    expect(ended.get('supervisor')?.actors.length).toBe(3);
    expect([...ended.values()].filter(({ status }) => status !== 'done')).toEqual([]);
  });

  test('has all members of every team in its composition, and a box for each in the drawing', async () => {
    const recorded = await approved();
    const { boxes, lines } = compositionDrawing(recorded.composition, { width: 190, height: 18 });
    const names = boxes.map(({ part }) => part.title);
    expect(names).toEqual(
      expect.arrayContaining(['supervisor', 'researcher', 'archivist', 'writer', 'input', 'output']),
    );
    expect(lines.length).toBe(recorded.composition.arrows.length);
  });

  test('is folded where its rows are too wide: as narrow as a phone, with every box, none over another', async () => {
    const { composition } = await approved();
    const room = { width: 186, height: 18 };
    const whole = compositionDrawing(composition, room);
    expect(whole.width).toBeGreaterThan(700);
    const folded = compositionDrawing(composition, room, 424);
    expect(folded.width).toBeLessThanOrEqual(424);
    expect(folded.boxes.map(({ place }) => place)).toEqual(whole.boxes.map(({ place }) => place));
    expect(folded.lines.length).toBe(whole.lines.length);
    for (const one of folded.boxes)
      for (const other of folded.boxes) expect(one !== other && overlap(one, other), one.place).toBe(false);
    expect(compositionDrawing(composition, room, 1_000)).toEqual(whole);
  });

  test('shows of a workflow its functions, too, and what was skipped and what failed', async () => {
    const flow = workflow({ name: 'flow' })
      .node('write', says('writer', 'a long text'))
      .node('count', (text: string) => text.length, { after: 'write' })
      .node('draw', says('artist', new Error('no more paint')), {
        input: ({ write }) => write,
        optional: 'skip',
        retry: 0,
      })
      .node('shorten', (text: string) => text, { after: 'write', condition: () => false })
      .output('count')
      .build();
    const record = recorder();
    await flow.run('tides', { inspect: record });
    const works = worksAt(recordedOf(record));
    const statuses = ['write', 'count', 'draw', 'shorten'].map((id) => works.get(id)?.status);
    expect(statuses).toEqual(['done', 'done', 'failed', 'skipped']);
  });

  test('has one box for equal members, which says how many are there, and how many failed', async () => {
    const members = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [
        `reader${index}`,
        index === 5 ? says('bad', new Error('cannot read')) : says(`reader${index}`, 'read'),
      ]),
    );
    const record = recorder();
    await parallel({ name: 'readers', members }).run('tea', { inspect: record });
    const recorded = recordedOf(record);
    const [[place, work] = ['', undefined]] = [...worksAt(recorded)].filter(
      ([, each]) => each.members !== undefined,
    );
    if (work === undefined) throw new Error('nobody is equal');
    expect(workWords(work, timesOf(recorded.entries))).toBe('8 of 8 · 1 failed');
    expect(work.members?.get('reader5')?.status).toBe('failed');
    const closed = withClosedGroups(recorded.composition);
    const box = compositionDrawing(closed).boxes.find((each) => each.place === place);
    expect(box?.part.title).toBe('8 agents');
  });

  test('of a thousand members at work says 240 of 1,000 · 3 failed', () => {
    const { recording } = troupeOf(1_000, 240, 3);
    const entries = [...recording.from()].map((line) => JSON.parse(line) as Entry);
    const tableau = new Tableau();
    for (const entry of entries) tableau.apply(entry);
    const root = rootOf(tableau);
    const works = workOf(compositionIn(root, tableau), root, tableau);
    const [work] = [...works.values()].filter(({ members }) => members !== undefined);
    expect(work && workWords(work, timesOf(entries))).toBe('240 of 1,000 · 3 failed');
    expect(busiestPlace(works)).toBeDefined();
  });

  test('counts the time of a member that is engaged again from each time on', () => {
    const view = { cameAt: 0, goneAt: 1 };
    const again = { cameAt: 2, goneAt: undefined };
    const work = { status: 'active', actors: [view, again] } as unknown as Work;
    expect(timeOf(work, { at: (n) => [100, 250, 400][n], now: 1_000 })).toBe(750);
    expect(timeOf(work, { at: () => undefined, now: 1_000 })).toBe(undefined);
  });

  test('of a recording without a composition is derived from who works for whom', async () => {
    const line = pipeline({ name: 'line', stages: [says('one', 'first'), says('two', 'second')] });
    const { events } = await line.run('tea');
    const entries = [...recordingOf(events).from()].map((line) => JSON.parse(line) as Entry);
    const tableau = new Tableau();
    for (const entry of entries) tableau.apply(entry);
    const root = rootOf(tableau);
    expect(root.composition).toBe(undefined);
    const composition = compositionIn(root, tableau);
    expect(composition.parts.map(({ title }) => title)).toEqual(['input', 'line', 'one', 'two', 'output']);
    const works = workOf(composition, root, tableau);
    expect([...works.values()].map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done', 'done']);
  });

  test('keeps its composition where entries are forgotten', async () => {
    const { entries, composition } = await approved();
    const tableau = new Tableau();
    for (const entry of entries) tableau.apply(entry);
    const kept = Tableau.from(JSON.parse(JSON.stringify(tableau)) as ReturnType<Tableau['toJSON']>);
    expect(rootOf(kept).composition).toEqual(composition);
  });
});
