import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../src/base/json/json.ts';
import type { ToolSuccess } from '../../src/contracts/tools/tool-result.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { CallCache } from '../../src/tools/calls/call-cache.ts';
import { wrapTool } from '../../src/tools/wrappers/compose.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { pipeTools } from '../../src/tools/wrappers/pipe-tools.ts';
import { ofType, start } from '../support/runs.ts';

const shop = () => {
  const looked: Json[] = [];
  let price = 10;
  const look = tool({
    name: 'look',
    description: 'Looks a price up.',
    input: z.object({ item: z.string(), options: z.object({ currency: z.string() }).optional() }),
    cacheable: true,
    execute: ({ item }) => {
      looked.push(item);
      if (item === 'nothing') throw new Error('there is no such thing');
      return price;
    },
  });
  const raise = tool({
    name: 'raise',
    description: 'Raises the price.',
    input: z.object({}),
    safety: 'write',
    execute: () => {
      price += 1;
    },
  });
  return { looked, look, raise };
};

const at = (item: string, more: object = {}) => ({ name: 'look', input: { item, ...more } });

describe('[TENEX-50] an equal call of a cacheable tool', () => {
  const run = async (tools: ReturnType<typeof shop>, ...script: readonly ScriptedReply[]) => {
    const model = scriptedModel([...script, 'done']);
    const buyer = agent({ name: 'buyer', model, tools: [tools.look, tools.raise] });
    return start(buyer, 'go').result;
  };

  test('is not run again, whatever the order of its keys, and says so', async () => {
    const tools = shop();
    const { events, records } = await run(
      tools,
      calls(at('tea', { options: { currency: 'EUR' } })),
      calls({ name: 'look', input: { options: { currency: 'EUR' }, item: 'tea' } }),
    );
    expect(tools.looked).toEqual(['tea']);
    expect(records[1]?.results).toMatchObject([
      { ok: true, value: 10, text: '10', cached: true, callId: 'call_1_0' },
    ]);
    expect(ofType(events, 'tool.finished').map(({ cached }) => cached)).toEqual([undefined, true]);
    expect(ofType(events, 'tool.started')).toHaveLength(2);
  });

  test('is run again for another input, after a failure, and in another run', async () => {
    const tools = shop();
    await run(tools, calls(at('tea')), calls(at('rum')), calls(at('nothing')), calls(at('nothing')));
    await run(tools, calls(at('tea')));
    // What failed was tried again by the runtime, too.
    expect(tools.looked.filter((item) => item !== 'nothing')).toEqual(['tea', 'rum', 'tea']);
    expect(tools.looked.filter((item) => item === 'nothing').length).toBeGreaterThan(1);
  });

  test('is run again after something was changed', async () => {
    const tools = shop();
    const raise = { name: 'raise', input: {} };
    const { records } = await run(
      tools,
      calls(at('tea')),
      calls(at('tea'), raise, at('tea')),
      calls(at('tea')),
    );
    expect(tools.looked).toEqual(['tea', 'tea']);
    const found = records.flatMap(({ results }) => results.filter((result) => result.tool === 'look'));
    expect(found.map((result) => result.ok && result.value)).toEqual([10, 10, 11, 11]);
  });
});

describe('a change that takes its time', () => {
  test.each(['at its start', 'at its end'])('%s: what is looked up meanwhile does not hold', async (when) => {
    let price = 10;
    const seen: number[] = [];
    const look = tool({
      name: 'look',
      description: 'Looks the price up.',
      input: z.object({}),
      cacheable: true,
      execute: () => {
        seen.push(price);
        return price;
      },
    });
    const raise = tool({
      name: 'raise',
      description: 'Raises the price.',
      input: z.object({}),
      safety: 'write',
      exclusive: false,
      execute: async () => {
        if (when === 'at its start') price += 1;
        await Promise.resolve();
        if (when === 'at its end') price += 1;
      },
    });
    const call = (name: string) => ({ name, input: {} });
    const model = scriptedModel([
      calls(call('look')),
      calls(call('raise'), call('look')),
      calls(call('look')),
      'done',
    ]);
    const { records } = await agent({ name: 'buyer', model, tools: [look, raise] }).run('go');
    expect(seen).toEqual(when === 'at its start' ? [10, 11, 11] : [10, 10, 11]);
    expect(records[2]?.results).toMatchObject([{ value: 11 }]);
  });
});

describe('what is kept', () => {
  const kept = (callId: string): ToolSuccess => ({
    callId,
    tool: 'look',
    ok: true,
    text: callId,
    value: callId,
    durationMs: 0,
    attempts: 1,
  });

  test('is never what was asked before a change and answered after it', () => {
    const { look } = shop();
    const cache = new CallCache();
    const keep = cache.keeper(look, { item: 'tea' });
    cache.forget();
    keep(kept('old'));
    expect(cache.find(look, { item: 'tea' })).toBeUndefined();
  });

  test('is no end of the run', () => {
    const { look } = shop();
    const cache = new CallCache();
    cache.keeper(look, {})({ ...kept('x'), control: { type: 'complete', answer: 1 } });
    expect(cache.find(look, {})).toBeUndefined();
  });

  test('belongs to one tool, also where two have one name', () => {
    const cache = new CallCache();
    const { look } = shop();
    cache.keeper(look, {})(kept('mine'));
    expect(cache.find(shop().look, {})).toBeUndefined();
  });

  test('is bounded, and what was asked for last stays', () => {
    const { look } = shop();
    fc.assert(
      fc.property(fc.array(fc.nat(400), { minLength: 300, maxLength: 600 }), (items) => {
        const cache = new CallCache();
        for (const item of items)
          if (cache.find(look, { item }) === undefined) cache.keeper(look, { item })(kept(String(item)));
        const recent = [...new Set(items.toReversed())];
        const found = recent.map((item) => cache.find(look, { item }) !== undefined);
        // All of the newest are there, and none beyond the bound.
        expect(found.slice(0, 256)).not.toContain(false);
        expect(found.slice(256)).not.toContain(true);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a cacheable tool', () => {
  test('stays one when it is wrapped, and in a pipe of such tools only', () => {
    const { look, raise } = shop();
    expect(wrapTool(look, (input, _, next) => next(input)).cacheable).toBe(true);
    const show = (cacheable: boolean) =>
      tool({
        name: 'show',
        description: 'Shows.',
        input: z.unknown(),
        parameters: {},
        cacheable,
        execute: () => 1,
      });
    const options = { name: 'both', description: 'Both.' };
    expect(pipeTools(options, look, show(true)).cacheable).toBe(true);
    expect(pipeTools(options, look, show(false)).cacheable).toBeUndefined();
    expect(raise.cacheable).toBeUndefined();
  });

  test('changes nothing: one that does is an error of the definition', () => {
    const options = { name: 'x', description: 'x', input: z.object({}), execute: () => 1 };
    expect(() => tool({ ...options, cacheable: true, safety: 'write' })).toThrow('its safety is write');
  });
});
