import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { routing } from '../../src/actors/strategies/routing.ts';
import { chainOfThought } from '../../src/actors/strategies/chain-of-thought.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { Json } from '../../src/base/json/json.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { hook } from '../../src/events/hooks/define-hook.ts';
import { filterTurns } from '../../src/memory/processors/filter-turns.ts';
import { truncateTools } from '../../src/memory/processors/truncate-tools.ts';
import { windowMemory } from '../../src/memory/memories/window-memory.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { letTimePass, ofType, settled, start } from '../support/runs.ts';

const looking = (execute: (input: { what: string }) => unknown) =>
  tool({ name: 'look', description: 'Looks.', input: z.object({ what: z.string() }), execute });

const looks = (what: string) => calls({ name: 'look', input: { what } });

describe('[FIND-33] [TENEX-26] what was thought before an answer is kept beside it', () => {
  const thoughtOf = async (form: 'work' | 'routing' | undefined, said: string) => {
    const model = scriptedModel([said, '{"agents": ["coder"], "reason": "a bug"}']);
    const thoughts: Json[] = [];
    const reads = hook({
      name: 'reads',
      on: 'model.answered',
      wantsRequests: true,
      handle: ({ key }, { sent }) => {
        const metadata = sent?.answerOf(key)?.metadata;
        if (metadata !== undefined) thoughts.push(metadata);
      },
    });
    const router = agent({ name: 'router', model, strategy: [chainOfThought({ form }), routing()] });
    const { output } = await settled(start(router, 'It crashes.', { hooks: [reads] }));
    return { model, output, thoughts };
  };

  test('a router thinks of who could do it', async () => {
    const said = 'Analysis: a bug\nAgents: coder, tester\nMatch: coder\nPhase: execute\nDecision: to coder';
    const { model, output, thoughts } = await thoughtOf('routing', said);
    expect(model.requests[0]?.messages.at(-1)?.text).toContain('Match: who fits best, and why');
    expect(thoughts).toMatchObject([
      { reasoning: { parsed: true, agents: ['coder', 'tester'], match: 'coder', phase: 'execute' } },
    ]);
    expect(JSON.parse(output ?? '')).toMatchObject({ agents: ['coder'] });
  });

  test('words in no form are kept as they are', async () => {
    const { thoughts } = await thoughtOf(undefined, 'I think it is a bug.');
    expect(thoughts).toEqual([{ reasoning: { parsed: false, raw: 'I think it is a bug.' } }]);
  });
});

test('[FIND-33] [DODO-26] a tool that fails is tried again after 0.5 and 1 s at most, then the model reads why', async () => {
  const clock = virtualClock();
  const at: number[] = [];
  const look = looking(() => {
    at.push(clock.now());
    throw new TroupeError('tool.failed', 'Cannot look as it is dark', { retryable: 'yes' });
  });
  const model = scriptedModel([looks('x'), 'done']);
  const handle = start(agent({ name: 'a', model, tools: [look] }), 'go', { clock });
  const { records, events } = await letTimePass(clock, settled(handle), 10);
  expect(at).toHaveLength(3);
  expect(records[0]?.results).toMatchObject([{ ok: false, attempts: 3 }]);
  const waits = ofType(events, 'tool.retrying').map(({ waitMs }) => waitMs);
  // Full jitter, and chance is in the middle.
  expect(waits).toEqual([250, 500]);
  expect(model.requests[1]?.messages.at(-1)?.text).toContain('it is dark');
});

test('[FIND-33] [DODO-30] a model call that may help with something changed is made once more, and no third time', async () => {
  const clock = virtualClock();
  const failing = () => new TroupeError('model.timeout', 'Cannot answer in time', { retryable: 'maybe' });
  const model = scriptedModel([failing(), failing(), 'too late']);
  const one = agent({ name: 'a', model, failures: { retry: { attempts: 9 } } });
  const { status } = await letTimePass(clock, settled(start(one, 'go', { clock })));
  expect(status).toBe('failed');
  expect(model.requests).toHaveLength(2);
});

test('[FIND-33] [DODO-45] [DODO-47] a model is shown long results cut, and no call without its result', async () => {
  const look = looking(({ what }) => `head ${what.repeat(2_000)} tail`);
  const model = scriptedModel([looks('a'), looks('b'), 'done']);
  const withoutFirst = filterTurns((turn) => turn.role !== 'tool' || turn.callId !== 'call_0_0');
  const context = { processors: [withoutFirst, truncateTools(200)] };
  await settled(
    start(agent({ name: 'a', model, tools: [look], conversation: { compaction: context } }), 'go'),
  );
  const shown: readonly Turn[] = model.requests.at(-1)?.messages ?? [];
  const called = shown.flatMap((turn) => (turn.role === 'assistant' ? (turn.calls ?? []) : []));
  const results = shown.filter((turn) => turn.role === 'tool');
  expect(called.map(({ id }) => id)).toEqual(['call_1_0']);
  expect(results.map(({ callId }) => callId)).toEqual(['call_1_0']);
  expect(results[0]?.text).toMatch(/^head b+\n… \[\d+ characters left out\] …\nb+ tail$/);
});

test.each([
  ['eight where nothing is said', undefined, [2, 3, 4, 5, 6, 7, 8, 9]],
  ['as many as it is told', { k: 5 }, [5, 6, 7, 8, 9]],
])(
  '[FIND-33] [KAIZEN-15] [KAIZEN-16] a run recalls the newest, %s, under a heading, a line each',
  async (_, recall, newest) => {
    const model = scriptedModel(['there']);
    const source = windowMemory();
    const memory = await source.open({ runId: 'before', agent: 'a' });
    await memory.append(
      Array.from({ length: 10 }, (__, at) => ({ kind: 'fact' as const, text: `${at}`, at })),
    );
    const one = agent({
      name: 'a',
      model,
      memory: { sources: { ...source, open: () => Promise.resolve(memory) }, recall },
    });
    await settled(start(one, 'go'));
    const recalled = model.requests[0]?.messages.filter(
      (turn) => turn.role === 'user' && turn.from === 'memory',
    );
    expect(recalled?.map(({ text }) => text)).toEqual([
      ['From earlier:', ...newest.map((at) => `fact: ${at}`)].join('\n'),
    ]);
  },
);

test('[FIND-33] [TENEX-40] a tool whose schema is known only at run time is called in a run with whatever the model gave', async () => {
  const seen: unknown[] = [];
  const dynamic = tool({
    name: 'any',
    description: 'Takes all.',
    dynamicSchema: true,
    execute: (input) => {
      seen.push(input);
      return 'taken';
    },
  });
  const model = scriptedModel([calls({ name: 'any', input: { any: { thing: [true] } } }), 'done']);
  await settled(start(agent({ name: 'a', model, tools: [dynamic] }), 'go'));
  expect(seen).toEqual([{ any: { thing: [true] } }]);
});
