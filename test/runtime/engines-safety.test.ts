import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { SafetyStrategy, SafetyVerdict } from '../../src/contracts/tools/safety.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { createDisposableEngine } from '../../src/runtime/engines/disposable-engine.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { createRequestEngine } from '../../src/runtime/engines/request-engine.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { ofType } from '../support/runs.ts';
import { quiet } from './engine-kit.ts';

const allow: SafetyVerdict = { verdict: 'allow' };
const deny = (reason: string): SafetyVerdict => ({ verdict: 'deny', reason });
const ask: SafetyVerdict = { verdict: 'ask' };

/** One call of a tool that counts how often it ran, and the model's answer to what came of it. */
const shredder = (approval = false) => {
  const shredded: string[] = [];
  const model = scriptedModel([calls({ name: 'shred', input: { file: 'a.txt' } }), 'I see.']);
  const shred = tool({
    name: 'shred',
    description: 'Shreds a file.',
    input: z.object({ file: z.string() }),
    safety: 'write',
    approval,
    execute: ({ file }) => {
      shredded.push(file);
      return `${file} is gone`;
    },
  });
  return { shredded, model, clerk: agent({ name: 'clerk', model, tools: [shred] }) };
};

const toldTo = (model: ReturnType<typeof scriptedModel>) => model.requests[1]?.messages.at(-1);

describe('[ENG-23] a safety strategy', () => {
  it('that allows is not felt, and has seen the whole call', async () => {
    const { shredded, clerk } = shredder();
    const seen: unknown[] = [];
    const safety: SafetyStrategy = (call) => {
      seen.push({ ...call, facts: call.facts.safety, signal: call.signal.aborted });
      return allow;
    };
    await createDisposableEngine({ safety }).execute(clerk, 'tidy up', { runId: 'r', context: 'acme' });
    expect(shredded).toEqual(['a.txt']);
    expect(seen).toEqual([
      {
        callId: 'call_0_0',
        runId: 'r',
        path: 'clerk',
        agent: 'clerk',
        step: 0,
        tool: 'shred',
        facts: 'write',
        input: { file: 'a.txt' },
        context: 'acme',
        at: expect.any(Number),
        environment: undefined,
        above: [],
        earlier: [],
        origins: [],
        signal: false,
      },
    ]);
  });

  it.each([
    ['at once', () => deny('not on a Sunday')],
    ['later', () => quiet().then(() => deny('not on a Sunday'))],
  ])('that denies %s: the tool is never called, and the next decision is told', async (_, safety) => {
    const { shredded, model, clerk } = shredder();
    const { output, events, records } = await createDisposableEngine({ safety }).execute(clerk, 'tidy up');
    expect([output, shredded]).toEqual(['I see.', []]);
    expect(toldTo(model)).toMatchObject({
      role: 'tool',
      failed: true,
      text: expect.stringContaining("Cannot run 'shred' as it was denied: not on a Sunday"),
    });
    expect(records[0]?.results[0]).toMatchObject({
      ok: false,
      kind: 'denied',
      error: { code: 'tool.denied' },
    });
    const types = events.map(({ type }) => type).filter((type) => type.startsWith('tool.'));
    expect(types).toEqual(['tool.requested', 'tool.denied']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no rules');
      },
      'no rules',
    ],
    ['rejects', () => Promise.reject(new Error('no rules')), 'no rules'],
    // What JavaScript lets through although the types do not.
    ['says nonsense', () => JSON.parse('{"verdict":"maybe"}'), '{"verdict":"maybe"}'],
    ['says nothing', () => JSON.parse('null'), 'null'],
  ] satisfies [string, SafetyStrategy, string][])(
    'that %s denies, with its error on record',
    async (_, safety, found) => {
      const { shredded, model, clerk } = shredder();
      const { events } = await createDisposableEngine({ safety }).execute(clerk, 'tidy up');
      expect(ofType(events, 'tool.denied')).toMatchObject([
        {
          tool: 'shred',
          error: { code: 'agent.threw', phase: 'ACT', message: expect.stringContaining(found) },
        },
      ]);
      expect(shredded).toEqual([]);
      expect(JSON.stringify(toldTo(model))).toContain('as it was denied: the safety strategy failed');
      expect(toldTo(model)).toMatchObject({ text: expect.stringContaining(found) });
    },
  );

  it.each([true, false])('that asks has a person decide (yes: %s), and is asked once', async (isApproved) => {
    const { shredded, clerk } = shredder();
    let consulted = 0;
    const safety: SafetyStrategy = () => {
      consulted += 1;
      return ask;
    };
    const run = createGlobalEngine({ safety }).stream(clerk, 'tidy up');
    const answered: boolean[] = [];
    for await (const event of run)
      if (event.type === 'tool.approval-requested')
        answered.push(isApproved ? run.approve(event.callId) : run.deny(event.callId, 'keep it'));
    const { output, totals, events } = await run.result;
    expect([output, consulted, totals.retries]).toEqual(['I see.', 1, 0]);
    expect(shredded).toEqual(isApproved ? ['a.txt'] : []);
    expect(events.filter(({ type }) => type === 'tool.requested')).toHaveLength(1);
    const attempts = events.flatMap((event) => (event.type === 'tool.started' ? [event.attempt] : []));
    expect([answered, attempts]).toEqual([[true], isApproved ? [1] : []]);
  });

  it('that allows leaves a tool that wants approval as it is', async () => {
    const { shredded, model, clerk } = shredder(true);
    await createDisposableEngine({ safety: () => allow }).execute(clerk, 'tidy up');
    expect(shredded).toEqual([]);
    expect(JSON.stringify(toldTo(model))).toContain('nobody is there to approve it');
  });

  it('of engine, request and run: any of them can deny, and the strictest counts', async () => {
    const said = async (...verdicts: [SafetyVerdict, SafetyVerdict, SafetyVerdict]) => {
      const order: string[] = [];
      const [global, request, run] = verdicts.map((verdict, index): SafetyStrategy => () => {
        order.push(['global', 'request', 'run'][index] ?? '');
        return verdict;
      });
      const { clerk } = shredder();
      const engine = createRequestEngine(createGlobalEngine({ safety: global }), {}, { safety: request });
      const { events } = await engine.execute(clerk, 'tidy up', { safety: run });
      const first = events.find(({ type }) => /^tool\.(started|denied|approval-requested)$/.test(type));
      return [first?.type, ...order];
    };
    const all = ['global', 'request', 'run'];
    expect(await said(allow, allow, allow)).toEqual(['tool.started', ...all]);
    expect(await said(allow, allow, deny('no'))).toEqual(['tool.denied', ...all]);
    expect(await said(deny('no'), allow, allow)).toEqual(['tool.denied', 'global']);
    expect(await said(ask, allow, allow)).toEqual(['tool.approval-requested', ...all]);
    expect(await said(allow, ask, deny('no'))).toEqual(['tool.denied', ...all]);
    // What is no verdict cannot be outvoted.
    expect(await said(JSON.parse('{"verdict":"maybe"}'), ask, allow)).toEqual(['tool.denied', 'global']);
  });

  it('is not asked again where a call is tried again, nor about one that cannot be read', async () => {
    const consulted: string[] = [];
    const safety: SafetyStrategy = ({ callId }) => {
      consulted.push(callId);
      return allow;
    };
    let attempts = 0;
    const flaky = tool({
      name: 'flaky',
      description: 'Works the second time.',
      input: z.object({}),
      retry: { attempts: 2, initialWaitMs: 0 },
      execute: () => {
        attempts += 1;
        if (attempts === 1) throw Object.assign(new Error('busy'), { status: 503 });
        return 'done';
      },
    });
    const broken = { id: 'b', name: 'flaky', input: {}, problem: 'cut off' };
    const model = scriptedModel([calls({ name: 'flaky', input: {} }), { calls: [broken] }, 'done']);
    await createDisposableEngine({ safety }).execute(agent({ name: 'a', model, tools: [flaky] }), 'go');
    expect([attempts, consulted]).toEqual([2, ['call_0_0']]);
  });

  it('that never answers does not hold an abort', async () => {
    const { shredded, clerk } = shredder();
    let signal: AbortSignal | undefined;
    let free: (verdict: SafetyVerdict) => void = () => undefined;
    const safety: SafetyStrategy = (call) => {
      ({ signal } = call);
      return new Promise((resolve) => {
        free = resolve;
      });
    };
    const run = createGlobalEngine({ safety }).stream(clerk, 'tidy up');
    await quiet();
    run.abort('enough');
    expect((await run.result).stopReason).toEqual({ kind: 'aborted', reason: 'enough' });
    expect(signal?.aborted).toBe(true);
    // A yes that comes too late lets nothing through.
    free(allow);
    await quiet();
    expect(shredded).toEqual([]);
  });
});
