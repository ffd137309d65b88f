import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ToolsetOpening } from '../../src/contracts/tools/tool.ts';
import { agent, replay, resume, tool, type Toolset } from '../../src/index.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { PlainStore } from '../support/plain-store.ts';

const echoTool = tool({
  name: 'echo',
  description: 'Repeats.',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => Promise.resolve(`heard ${text}`),
});

/** A set whose tools are known only once it is open. */
const foundLate = (fingerprint: string) => {
  const openings: ToolsetOpening[] = [];
  const log: string[] = [];
  const set: Toolset = {
    name: 'late',
    tools: [],
    open: (opening) => {
      openings.push(opening);
      opening.hide('sesame-street-9', 'late.token');
      return { tools: [echoTool], listed: { echo: fingerprint }, close: () => void log.push('closed') };
    },
    teardown: () => void log.push('torn down'),
  };
  return { set, openings, log };
};

const asks = calls({ name: 'late.echo', input: { text: 'sesame-street-9' } });

test('a set that opens adds its tools, is on record, is closed, and keeps its secrets out of the log', async () => {
  const { set, log, openings } = foundLate('f1');
  const host = agent({ name: 'host', tools: [set], model: scriptedModel([asks, 'Done.']) });
  const { events, output } = await host.run('go');
  expect(output).toBe('Done.');
  expect(events.filter(({ type }) => type === 'toolset.opened')).toMatchObject([
    { toolset: 'late', tools: { echo: 'f1' }, path: 'host' },
  ]);
  expect(JSON.stringify(events)).not.toContain('sesame-street-9');
  expect(events.find((event) => event.type === 'tool.finished')).toMatchObject({
    tool: 'late.echo',
    ok: true,
  });
  expect(log).toEqual(['closed', 'torn down']);
  expect(openings.map(({ listed, models, signal }) => [listed, models.length, signal.aborted])).toEqual([
    [undefined, 1, true],
  ]);
});

test('a set that is opened again by a resumed run is given the list of the first time; a replay opens nothing', async () => {
  const store = new PlainStore();
  const first = foundLate('f1');
  const of = (set: Toolset, replies: Parameters<typeof scriptedModel>[0]) =>
    agent({ name: 'host', tools: [set], model: scriptedModel(replies) });
  await of(first.set, [asks, 'Done.']).run('go', { store, runId: 'r' });
  const { records } = await recordsIn(store, 'r');
  const acted = records.findIndex(
    (record) =>
      record.kind === 'arrived' && record.arrival.type === 'answered' && record.arrival.key.includes('ACT'),
  );
  const left = PlainStore.with('r', records.slice(0, acted));
  const second = foundLate('f2');
  const { output } = await (await resume(of(second.set, ['Done.']), 'r', { store: left })).result;
  expect(output).toBe('Done.');
  expect(second.openings.map(({ listed }) => listed)).toEqual([{ echo: 'f1' }]);
  const third = foundLate('f3');
  expect((await replay(of(third.set, []), 'r', { store: left })).result?.output).toBe('Done.');
  expect(third.openings).toEqual([]);
});

test('a set that does not open is a problem of preparing, and what others opened is closed', async () => {
  const { set, log } = foundLate('f1');
  const broken: Toolset = {
    name: 'broken',
    tools: [],
    open: () => Promise.reject(new Error('no answer')),
  };
  const host = agent({ name: 'host', tools: [set, broken], model: scriptedModel(['never']) });
  await expect(host.run('go')).rejects.toMatchObject({ code: 'tool.setup' });
  expect(log).toEqual(['closed', 'torn down']);
});
