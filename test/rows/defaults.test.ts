import { describe, expect, test } from 'vitest';
import { emptyHistory } from '../../src/base/collections/history.ts';
import { initialContext, newCycle } from '../../src/machines/agent/agent-context.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { definitionOf } from '../../src/runtime/define/definition.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';

describe('an agent of which nothing is said but its name', () => {
  const plain = agent({ name: 'plain' });

  test('[KAIZEN-09] has these defaults, and sends no setting that nobody asked for', async () => {
    expect(definitionOf(plain)?.agent).toMatchObject({
      description: '',
      models: [],
      settings: undefined,
      retry: undefined,
      tools: [],
      toolConcurrency: 4,
      maxTextBytes: 65_536,
      maxRejections: 2,
      timeoutMs: 600_000,
      critics: [],
      hooks: [],
      state: {},
      takesText: true,
    });
    const model = scriptedModel(['there']);
    await plain.run('go', { model });
    const [{ key: _, ...request } = {}] = model.requests;
    expect(request).toEqual({ instructions: '', messages: [{ role: 'user', text: 'go' }], tools: [] });
  });

  test('[DODO-08] starts from nothing: step 0, an empty history and inbox, nothing used', () => {
    const input: unknown = definitionOf(plain)?.start('go', { runId: 'r', path: 'plain', at: 7 });
    expect(initialContext({ input: input as Parameters<typeof initialContext>[0]['input'] })).toEqual({
      run: {
        runId: 'r',
        path: 'plain',
        agent: 'plain',
        observes: false,
        critics: 'none',
        maxRejections: 2,
        toolConcurrency: 4,
        models: 1,
      },
      input: 'go',
      step: 0,
      state: {},
      history: emptyHistory(),
      inbox: [],
      cycle: newCycle(7),
      tally: {
        modelCalls: 0,
        toolCalls: 0,
        inputTokens: 0,
        outputTokens: 0,
        cachedTokens: 0,
        retries: 0,
        startedAt: 7,
        now: 7,
      },
      review: { candidate: null, rejections: 0, unknownTools: 0, badTurns: 0, watch: expect.anything() },
      end: null,
    });
  });

  test('[KAIZEN-72] answers in one line, with no key and no set-up', async () => {
    expect((await agent({ name: 'hello' }).run('Hello?')).output).not.toBe('');
  });
});
