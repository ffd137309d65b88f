import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { createRequestEngine } from '../../src/runtime/engines/request-engine.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { collect, gateAgent, gated, parrot, quiet, rejection } from './engine-kit.ts';

/** A context that counts how often it was disposed of. */
const disposable = (tenant: string) => {
  const disposals: string[] = [];
  return {
    tenant,
    disposals,
    [Symbol.asyncDispose]: async () => {
      await quiet();
      disposals.push(tenant);
    },
  };
};

const tenantOf = (context: unknown): string => z.object({ tenant: z.string() }).parse(context).tenant;

describe('the engine of a request', () => {
  it('[ENG-18] gives each of two concurrent runs its own context, everywhere, and no other', async () => {
    const seen: Record<string, Set<string>> = {};
    /** Who saw which tenant while working for which request. */
    const see = (who: string, mine: unknown, context: unknown) =>
      (seen[`${who} for ${String(mine)}`] ??= new Set()).add(tenantOf(context));
    const gate = gated();
    const look = tool({
      name: 'look',
      description: 'Looks at its context.',
      input: z.object({ name: z.string() }),
      execute: async ({ name }, context) => {
        see('tool', name, context.context);
        await context.run(helper, name);
        return 'seen';
      },
    });
    const helper = agent({
      name: 'helper',
      decide: ({ input, context }) => {
        see('child', input, context);
        return answer('helped');
      },
    });
    const walker = agent({
      name: 'walker',
      tools: [gate.tool, look],
      observe: ({ input, context }) => void see('observe', input, context),
      decide: ({ step, input, context }) => {
        see('decide', input, context);
        const name = z.string().parse(input);
        if (step === 0) return act({ name: 'wait_for', input: { name } });
        return step === 1 ? act({ name: 'look', input: { name } }) : answer('done');
      },
      critics: [
        {
          name: 'critic',
          critique: ({ input, context }) => {
            see('critic', input, context);
            return { verdict: 'accept' };
          },
        },
      ],
    });
    const engine = createGlobalEngine({
      hooks: [
        {
          name: 'audit',
          on: 'tool.requested',
          handle: (event, { context }) => void see('hook', z.string().parse(nameIn(event)), context),
        },
      ],
    });
    const request = (tenant: string) =>
      createRequestEngine(
        engine,
        { tenant },
        {
          safety: ({ input, context }) => {
            see('policy', z.object({ name: z.string() }).parse(input).name, context);
            return { verdict: 'allow' };
          },
        },
      );
    const [acme, globex] = [request('acme'), request('globex')];
    const both = Promise.all([acme.execute(walker, 'acme'), globex.execute(walker, 'globex')]);
    await gate.came(2);
    gate.open('acme');
    gate.open('globex');
    expect((await both).map(({ output }) => output)).toEqual(['done', 'done']);
    const who = ['observe', 'decide', 'policy', 'hook', 'tool', 'child', 'critic'];
    expect(seen).toEqual(
      Object.fromEntries(
        who.flatMap((each) =>
          ['acme', 'globex'].map((tenant) => [`${each} for ${tenant}`, new Set([tenant])]),
        ),
      ),
    );
  });

  it('[ENG-18] disposes of its context once, also when the run failed, and leaves the engine open', async () => {
    const engine = createGlobalEngine();
    const context = disposable('acme');
    const fragile = agent({
      name: 'fragile',
      model: scriptedModel([new Error('no')]),
      failures: { retry: { attempts: 1 } },
    });
    const request = createRequestEngine(engine, context);
    {
      await using scope = request;
      expect(await rejection(scope.execute(fragile, 'hi'))).toBeDefined();
      expect(context.disposals).toEqual([]);
    }
    await request.shutdown();
    expect(context.disposals).toEqual(['acme']);
    expect(await rejection(request.execute(parrot(), 'hi'))).toMatchObject({ code: 'engine.closed' });
    expect((await engine.execute(parrot(), 'hi')).output).toBe('hello');
  });

  it('disposes of its context after its resources, which may need it', async () => {
    const order: string[] = [];
    const context = { [Symbol.dispose]: () => void order.push('context') };
    const pool = { name: 'pool', close: () => void order.push('pool') };
    await createRequestEngine(createGlobalEngine(), context, { resources: [pool] }).shutdown();
    expect(order).toEqual(['pool', 'context']);
  });

  it('sees the events of its own runs only, and completes with the request', async () => {
    const gate = gated();
    const engine = createGlobalEngine();
    const walker = gateAgent(gate);
    const [one, two] = [createRequestEngine(engine, {}), createRequestEngine(engine, {})];
    const [seenByOne, seenByTwo] = [collect(one), collect(two)];
    const first = one.stream(walker, 'a', { runId: 'mine' });
    await gate.came(1);
    // Somebody else's id is refused, and gives no sight of that run.
    const refused = rejection(two.execute(walker, 'b', { runId: 'mine' }));
    first.send('psst');
    expect(await refused).toMatchObject({ code: 'run.duplicate' });
    gate.open('a');
    const { events } = await first.result;
    expect(seenByOne.events).toEqual(events);
    expect(seenByTwo.events).toEqual([]);
    await one.shutdown();
    expect([seenByOne.isComplete, seenByTwo.isComplete]).toEqual([true, false]);
  });

  it('aborts its own runs only, also by its signal', async () => {
    const gate = gated();
    const engine = createGlobalEngine();
    const walker = gateAgent(gate);
    const client = new AbortController();
    const one = createRequestEngine(engine, {}, { signal: client.signal });
    const two = createRequestEngine(engine, {});
    const [left, right] = [one.stream(walker, 'a'), two.stream(walker, 'b')];
    await gate.came(2);
    two.abort('not mine', left.runId);
    client.abort('the client went away');
    expect((await left.result).stopReason).toEqual({ kind: 'aborted', reason: 'the client went away' });
    expect(await one.execute(walker, 'c')).toMatchObject({ status: 'aborted', effects: [] });
    gate.open('b');
    expect((await right.result).output).toBe('b is done');
  });

  it('does not hold on to a signal that outlives its runs', async () => {
    const { signal } = new AbortController();
    const held = new Set<unknown>();
    vi.spyOn(signal, 'addEventListener').mockImplementation((_, listener) => void held.add(listener));
    vi.spyOn(signal, 'removeEventListener').mockImplementation((_, listener) => void held.delete(listener));
    const request = createRequestEngine(createGlobalEngine({ concurrency: 1 }), {}, { signal });
    const runs = [request.execute(parrot('a'), 'hi'), request.execute(parrot('b'), 'hi')];
    expect(held.size).toBe(2);
    await Promise.all(runs);
    expect(held.size).toBe(0);
  });

  it('keeps to the line of the engine that it wraps', async () => {
    const gate = gated();
    const engine = createGlobalEngine({ concurrency: 1 });
    const request = createRequestEngine(engine, {});
    const walker = gateAgent(gate);
    const first = engine.execute(walker, 'a');
    const second = request.stream(walker, 'b');
    await gate.came(1);
    await quiet();
    expect([request.concurrency, gate.arrived]).toEqual([1, ['a']]);
    request.abort('gone');
    expect((await second.result).effects).toEqual([]);
    gate.open('a');
    await first;
  });

  it('is closed where the engine that it wraps is', async () => {
    const engine = createGlobalEngine();
    const request = createRequestEngine(engine, {});
    await engine.shutdown();
    expect(request.isClosed).toBe(true);
    expect(await rejection(request.execute(parrot(), 'hi'))).toMatchObject({ code: 'engine.closed' });
    await request.shutdown();
  });

  it('in a request: the inner context is the one that counts', async () => {
    const seen: unknown[] = [];
    const peek = agent({
      name: 'peek',
      decide: ({ context }) => {
        seen.push(context);
        return answer('seen');
      },
    });
    const outer = createRequestEngine(createGlobalEngine(), 'outer');
    await outer.execute(peek, 'hi');
    await createRequestEngine(outer, 'inner').execute(peek, 'hi');
    await outer.execute(peek, 'hi', { context: 'of the run' });
    expect(seen).toEqual(['outer', 'inner', 'of the run']);
  });

  it('keeps its context out of events, records and effects', async () => {
    const secret = { tenant: 'acme', token: 'hunter2' };
    const gate = gated();
    const run = createRequestEngine(createGlobalEngine(), secret).execute(gateAgent(gate), 'a');
    await gate.came(1);
    gate.open('a');
    expect(JSON.stringify(await run)).not.toContain('hunter2');
  });
});

const nameIn = (event: object): unknown =>
  z.object({ input: z.object({ name: z.string() }) }).parse(event).input.name;
