import { expect, test } from 'vitest';
import type { Decision } from '../../../src/contracts/agents/decision.ts';
import type { Agent } from '../../../src/contracts/agents/agent.ts';
import type { Entry } from '../../../src/inspect/recording/entry.ts';
import type { FileReading } from '../../../src/inspect/page/files/read-run-file.ts';
import { readRunFile } from '../../../src/inspect/page/files/read-run-file.ts';
import { Folds } from '../../../src/inspect/page/folds/folds.ts';
import { markerOf } from '../../../src/inspect/page/markers.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { traceAsHtml } from '../../../src/inspect/traces/formats/trace-as-html.ts';
import { traceInText } from '../../../src/inspect/traces/trace-in-text.ts';
import { journalText } from '../../../src/persistence/run-log.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { PlainStore } from '../../support/plain-store.ts';
import { deferred, never } from '../../support/runs.ts';
import { goOn } from '../../support/stored-runs.ts';
import { PAGE, Looker, openInspector } from '../local/local-kit.ts';

type Resumed = Extract<Entry, { kind: 'resumed' }>;

const resumedIn = (entries: readonly Entry[]): readonly Resumed[] =>
  entries.flatMap((entry) => (entry.kind === 'resumed' ? [entry] : []));

const entriesOf = ({ recording }: ReturnType<typeof recorder>): readonly Entry[] =>
  [...recording.from()].map((line) => JSON.parse(line) as Entry);

const clerk = (...replies: Parameters<typeof scriptedModel>[0]) =>
  agent({ name: 'clerk', model: scriptedModel(replies) });

/** A run whose process is gone while its model is asked, in a store, and continued there by another. */
const resumedRun = async () => {
  const store = new PlainStore();
  const asked = deferred<void>();
  const gone = clerk(() => {
    asked.resolve();
    return never();
  });
  gone.stream('How is it?', { store, runId: 'r' });
  await asked.promise;
  const record = recorder();
  const it: Agent<string, unknown, unknown> = clerk('Well.');
  await (
    await goOn(store, it, 'r', { inspect: record })
  ).result;
  const entry = store.entries.get('r');
  const rows = store.rows.get('r') ?? [];
  if (entry === undefined) throw new Error('it is stored');
  return { store, it, record, journal: journalText({ entry, rows }) };
};

const embeddedIn = (read: FileReading): readonly Entry[] => {
  if ('refusal' in read) throw new Error(read.refusal);
  return read.opened.embedded.entries;
};

const readText = async (text: string): Promise<readonly Entry[]> =>
  embeddedIn(await readRunFile({ name: 'run', size: text.length, text: () => Promise.resolve(text) }));

test('a run that was interrupted and resumed says so between its events: live, stored, in its journal and in its page', async () => {
  const { store, it, record, journal } = await resumedRun();
  const live = entriesOf(record);
  const [found, ...more] = resumedIn(live);
  expect(more).toEqual([]);
  expect(found).toMatchObject({ actor: 'r/clerk', run: 'r', isInterrupted: true, at: expect.any(Number) });
  const kinds = live.map((entry) => (entry.kind === 'published' ? entry.event.type : entry.kind));
  expect(kinds.indexOf('resumed')).toBeGreaterThan(kinds.indexOf('model.asked'));
  expect(kinds.indexOf('resumed')).toBeLessThan(kinds.indexOf('model.answered'));
  const inspector = await openInspector({ store, agents: [it] });
  const looker = await new Looker(inspector, '/api/stored/r/recording').until(
    ({ entries }) => resumedIn(entries).length > 0,
  );
  const at = found?.at;
  const same = { kind: 'resumed', actor: 'r/clerk', run: 'r', isInterrupted: true, at };
  expect(resumedIn(looker.entries)).toMatchObject([same]);
  expect(resumedIn(await readText(journal))).toMatchObject([same]);
  const page = await traceAsHtml(traceInText(journal, { isGone: () => true }), {
    page: `${PAGE.replace('<!doctype html>', '<!doctype html><meta charset="utf-8"><body>')}`,
  });
  expect(resumedIn(await readText(page))).toMatchObject([same]);
});

test('it is a setback among the problems, a mark of the timeline, and counted up to each place', async () => {
  const { record } = await resumedRun();
  const entries = entriesOf(record);
  const folds = new Folds();
  for (const entry of entries) folds.take(entry);
  const [found] = resumedIn(entries);
  const n = found?.n ?? -1;
  expect(folds.problems.all).toMatchObject([
    {
      title: 'clerk was interrupted and resumed',
      occurrences: [{ n, run: 'r', actor: 'r/clerk', path: 'clerk', reports: [{ type: 'resumed' }] }],
    },
  ]);
  expect(folds.problems.countAt(Infinity, 'r')).toMatchObject({ error: 0, setback: 1 });
  expect(found && markerOf(found)).toMatchObject({
    kind: 'resumed',
    text: expect.stringMatching(/^resumed after an interruption at \d\d:\d\d:\d\d$/),
  });
  expect([n, n + 1].map((length) => folds.resumptionsAt(length, 'r').length)).toEqual([0, 1]);
  expect(folds.resumptionsAt(Infinity, 'other')).toEqual([]);
});

test('a run that waited for a time when another process took it up was not interrupted', async () => {
  const store = new PlainStore();
  const waiting = deferred<void>();
  const waiter = () =>
    agent({
      name: 'waiter',
      decide: ({ step }): Decision => {
        if (step > 0) return { kind: 'answer', answer: 'done' };
        waiting.resolve();
        return { kind: 'wait', forMs: 3_600_000 };
      },
    });
  const before = waiter().stream('Wait.', { store, runId: 'r' });
  before.events$.subscribe(({ type }) => {
    if (type === 'agent.waiting') waiting.resolve();
  });
  await waiting.promise;
  while (store.entries.get('r')?.status !== 'waiting') await new Promise((resolve) => setImmediate(resolve));
  const record = recorder();
  const handle = await goOn(store, waiter(), 'r', { inspect: record });
  expect(resumedIn(entriesOf(record))).toMatchObject([{ isInterrupted: false }]);
  const folds = new Folds();
  for (const entry of entriesOf(record)) folds.take(entry);
  expect(folds.problems.all).toEqual([]);
  for (const each of [before, handle]) each.abort('it is over');
  await Promise.all([before.result, handle.result]);
});
