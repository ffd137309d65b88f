import { expect, it } from 'vitest';
import { z } from 'zod';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { agent, tool, toolset } from '../../src/index.ts';
import { quiet } from '../support/runs.ts';

const named = (name: string) =>
  tool({ name, description: `It is ${name}.`, input: z.object({}), execute: () => `${name} did it` });

it('[TENEX-48] a tool added in mid-run is there from the next step on, and only from then', async () => {
  const model = scriptedModel([
    calls({ name: 'first', input: {} }),
    calls({ name: 'second', input: {} }),
    'done',
  ]);
  const handle = agent({ name: 'a', model, tools: [named('first')] }).stream('go', { paused: true });
  await handle.step('effect');
  expect(await handle.addTools([named('second')])).toEqual([]);
  handle.resume();
  const result = await handle.result;
  expect(result.output).toBe('done');
  expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
    ['first', 'second'],
    ['first', 'second'],
    ['first', 'second'],
  ]);
  expect(result.events.filter(({ type }) => type === 'tool.added')).toHaveLength(1);
});

it('[DODO-16] what a step was told of stays as it is while the step goes on', async () => {
  const seen: string[][] = [];
  const model = scriptedModel([
    async (request) => {
      seen.push(request.tools.map(({ name }) => name));
      await handle.addTools([named('late')]);
      return calls({ name: 'late', input: {} });
    },
    (request) => {
      seen.push(request.tools.map(({ name }) => name));
      return 'done';
    },
  ]);
  const handle = agent({ name: 'a', model, tools: [named('first')] }).stream('go');
  const result = await handle.result;
  expect(seen).toEqual([['first'], ['first', 'late']]);
  expect(result.records[0]?.results[0]).toMatchObject({ ok: false, kind: 'unknown' });
});

it('what is wrong with added tools comes back as data, and a toolset is set up and torn down', async () => {
  const life: string[] = [];
  const set = toolset({
    name: 'set',
    tools: [named('one')],
    setup: () => void life.push('setup'),
    teardown: () => void life.push('teardown'),
  });
  const handle = agent({ name: 'a', model: scriptedModel(['done']), tools: [named('first')] }).stream('go', {
    paused: true,
  });
  expect(await handle.addTools([named('first')])).toMatchObject([{ code: 'tool.duplicate' }]);
  expect(await handle.addTools([set])).toEqual([]);
  expect(await handle.addTools([set], 'nowhere')).toMatchObject([{ code: 'agent.unknown' }]);
  expect(handle.removeTool('first')).toBe(true);
  expect(handle.removeTool('first')).toBe(false);
  handle.resume();
  const { events } = await handle.result;
  expect(life).toEqual(['setup', 'teardown']);
  expect(events.flatMap((event) => (event.type === 'tool.added' ? [event.tool] : []))).toEqual(['set']);
});

it('a run that is aborted before its toolsets are set up leaves none of them open', async () => {
  const open = new Set<string>();
  const set = toolset({
    name: 'set',
    tools: [named('first')],
    setup: () => void open.add('set'),
    teardown: () => void open.delete('set'),
  });
  const handle = agent({ name: 'a', model: scriptedModel(['never']), tools: [set] }).stream('go');
  handle.abort();
  expect((await handle.result).status).toBe('aborted');
  await quiet();
  expect([...open]).toEqual([]);
});
