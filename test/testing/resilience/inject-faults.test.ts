import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Model } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import { agent, tool } from '../../../src/index.ts';
import { pipeline } from '../../../src/patterns/index.ts';
import { windowMemory } from '../../../src/memory/index.ts';
import { injectFaults } from '../../../src/testing/resilience/inject-faults.ts';
import type { FaultOutcome } from '../../../src/testing/resilience/resilience-report.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';

const look = tool({
  name: 'look',
  description: 'Looks.',
  safety: 'read',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `5 degrees in ${city}`,
});

/** Whatever a tool says, it says that it is cold: a model that knows its answer beforehand. */
const stubborn = () =>
  scriptedModel([
    calls({ name: 'look', input: { city: 'Oslo' } }),
    ...Array.from({ length: 9 }, () => 'It is cold.'),
  ]);

const outcomesOf = (outcomes: readonly FaultOutcome[], kind: string) =>
  outcomes.filter(({ fault }) => fault.kind === kind).map(({ outcome }) => outcome);

describe('faults that are injected into an agent', () => {
  test('are all reached, each has an outcome, and time-outs of minutes take none', async () => {
    const clerk = agent({ name: 'clerk', tools: [look] });
    const { outcomes, counts, baseline, weak } = await injectFaults(clerk, { input: 'go', model: stubborn });
    expect(baseline).toMatchObject({
      models: ['scripted:script', 'scripted:script'],
      tools: ['look'],
      output: 'It is cold.',
    });
    expect(counts.unreached + counts.hung).toBe(0);
    expect(Object.values(counts).reduce((sum, each) => sum + each, 0)).toBe(outcomes.length);
    for (const kind of ['model-unavailable', 'model-rate-limited', 'model-silent', 'model-malformed'])
      expect(outcomesOf(outcomes, kind), kind).toEqual(['same', 'same']);
    for (const kind of ['model-down', 'model-limited', 'model-gone', 'model-key-refused'])
      expect(outcomesOf(outcomes, kind), kind).toEqual(['failed', 'failed']);
    expect(outcomesOf(outcomes, 'model-refusal')).toEqual(['stopped', 'stopped']);
    for (const kind of ['killed-before', 'killed-after', 'store-fails', 'lease-lost'])
      expect(new Set(outcomesOf(outcomes, kind)), kind).toEqual(new Set(['same']));
    const limited = outcomes.find(({ fault }) => fault.kind === 'model-rate-limited');
    expect(limited?.durationMs).toBeGreaterThanOrEqual(30_000);
    expect(outcomes.find(({ fault }) => fault.kind === 'model-gone')?.durationMs).toBeGreaterThan(180_000);
    // Garbage was given as the answer, and taken for one.
    const garbled = outcomes.filter(
      ({ fault, weakness }) => fault.kind === 'model-garbled' && weakness !== undefined,
    );
    expect(garbled).toHaveLength(2);
    expect(weak).toBeGreaterThanOrEqual(2);
  });

  test('show what no retry policy covers: an agent without retries is weak where another is not', async () => {
    const only = ['model'] as const;
    const frail = agent({ name: 'frail', failures: { retry: { attempts: 1 } } });
    const strong = agent({ name: 'strong' });
    const model = () => scriptedModel(Array.from({ length: 9 }, () => 'Yes.'));
    const weakIn = async (tried: typeof frail) =>
      (await injectFaults(tried, { input: 'go', model, faults: only })).outcomes
        .filter(({ weakness }) => weakness?.startsWith('fails, although') === true)
        .map(({ fault }) => fault.kind);
    expect(await weakIn(strong)).toEqual([]);
    expect(await weakIn(frail)).toEqual([
      'model-unavailable',
      'model-rate-limited',
      'model-silent',
      'model-malformed',
      'model-empty',
    ]);
  });

  test('leave a call that may have been made to a person, and never make it twice', async () => {
    let paid = 0;
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      safety: 'write',
      input: z.object({}),
      execute: () => {
        paid += 1;
        return 'paid';
      },
    });
    const clerk = agent({ name: 'clerk', tools: [pay] });
    const model = () =>
      scriptedModel([calls({ name: 'pay', input: {} }), ...Array.from({ length: 5 }, () => 'Paid.')]);
    const { outcomes } = await injectFaults(clerk, { input: 'go', model, faults: ['process'] });
    const waiting = outcomes.filter(({ outcome }) => outcome === 'waiting');
    expect(waiting.length).toBeGreaterThan(0);
    expect(waiting[0]?.waitsFor).toBe("a person who knows if 'pay' was executed");
    expect(outcomes.some(({ weakness }) => weakness?.includes('twice') === true)).toBe(false);
    // Two for the runs without a fault, and at most one for each other.
    expect(paid).toBeLessThanOrEqual(outcomes.length + 2);
    expect(outcomes.every(({ outcome }) => outcome === 'same' || outcome === 'waiting')).toBe(true);
  });

  test('find a tool that hides its own failure, and an agent that waits for ever', async () => {
    const deaf = tool({
      name: 'deaf',
      description: 'Never gives up.',
      safety: 'read',
      timeoutMs: Infinity,
      input: z.object({}),
      execute: () => 'heard',
    });
    const clerk = agent({ name: 'clerk', tools: [deaf] });
    const model = () =>
      scriptedModel([calls({ name: 'deaf', input: {} }), ...Array.from({ length: 5 }, () => 'Heard.')]);
    const { outcomes } = await injectFaults(clerk, { input: 'go', model, faults: ['tool'] });
    expect(outcomesOf(outcomes, 'tool-gone')).toEqual(['hung']);
    expect(outcomes.find(({ outcome }) => outcome === 'hung')?.weakness).toBe(
      'neither ends nor waits for anybody',
    );
  });

  test('answer requests of the first run as there, so that only others are asked and paid for', async () => {
    const model = scriptedModel(Array.from({ length: 30 }, () => 'Yes.'));
    const clerk = agent({ name: 'clerk', model });
    const { outcomes } = await injectFaults(clerk, { input: 'go', faults: ['model', 'process'] });
    expect(outcomes.length).toBeGreaterThan(12);
    // The first run, and what follows an empty answer, which is another request.
    expect(model.requests.length).toBeLessThanOrEqual(3);
  });

  test('are injected into a run that needs approvals, where these are given, and a call is still never made twice', async () => {
    let paid = 0;
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      safety: 'write',
      approval: true,
      input: z.object({}),
      execute: () => `paid ${(paid += 1) > 0}`,
    });
    const clerk = agent({ name: 'clerk', tools: [pay] });
    const model = () =>
      scriptedModel([calls({ name: 'pay', input: {} }), ...Array.from({ length: 5 }, () => 'Paid.')]);
    await expect(injectFaults(clerk, { input: 'go', model })).rejects.toThrow(
      "it waits for the approval of 'pay': give `approve: true`, or `run: { person }`",
    );
    const { outcomes, baseline, counts } = await injectFaults(clerk, {
      input: 'go',
      model,
      approve: true,
      faults: ['process', 'store'],
      limit: 20,
    });
    expect(baseline).toMatchObject({ output: 'Paid.', tools: ['pay'], varies: { answer: false, tools: [] } });
    expect(counts.same).toBeGreaterThan(4);
    expect(counts.same + counts.waiting).toBe(outcomes.length);
    expect(new Set(outcomes.flatMap(({ waitsFor }) => waitsFor ?? []))).toEqual(
      new Set(["a person who knows if 'pay' was executed"]),
    );
    expect(outcomes.filter(({ weakness }) => weakness !== undefined)).toEqual([]);
  });

  test('are not blamed for what differs by itself, which is named', async () => {
    let ticks = 0;
    const now = tool({
      name: 'now',
      description: 'The time.',
      safety: 'read',
      input: z.object({}),
      execute: () => `tick ${(ticks += 1)}`,
    });
    const clerk = agent({ name: 'clerk', tools: [now, look] });
    const model = (): Model => ({
      provider: 'example',
      id: 'parrot',
      isLanguageModel: false,
      answer: ({ messages }) => {
        const said = messages.toArray().filter((turn) => turn.role === 'tool');
        return Promise.resolve(
          modelAnswer(
            said.length === 0
              ? {
                  calls: [
                    { id: 'a', name: 'now', input: {} },
                    { id: 'b', name: 'look', input: { city: 'Oslo' } },
                  ],
                }
              : { text: said.map(({ text }) => text).join(', ') },
          ),
        );
      },
    });
    const { baseline, outcomes, weak } = await injectFaults(clerk, {
      input: 'go',
      model,
      faults: ['process'],
      limit: 3,
    });
    expect(baseline.varies).toEqual({ answer: true, tools: ['now'] });
    expect(outcomes.some(({ outcome }) => outcome === 'other')).toBe(true);
    expect(weak).toBe(0);
  });

  test('show an agent that gives the text of an error as its answer, and each weak point has a remedy', async () => {
    const clerk = agent({ name: 'clerk', tools: [look], failures: { retry: { attempts: 1 } } });
    const model = (): Model => ({
      provider: 'example',
      id: 'parrot',
      isLanguageModel: false,
      answer: ({ messages }) => {
        const said = messages.toArray().filter((turn) => turn.role === 'tool');
        return Promise.resolve(
          modelAnswer(
            said.length === 0
              ? { calls: [{ id: 'a', name: 'look', input: { city: 'Oslo' } }] }
              : { text: `It says: ${said.map(({ text }) => text).join()}` },
          ),
        );
      },
    });
    const { outcomes } = await injectFaults(clerk, { input: 'go', model, faults: ['model', 'tool'] });
    const of = (kind: string) => outcomes.find(({ fault }) => fault.kind === kind);
    for (const kind of ['tool-broken', 'tool-gone'])
      expect(of(kind), kind).toMatchObject({
        outcome: 'other',
        weakness: 'gives the text of an error as its answer',
      });
    expect(of('tool-garbage')?.weakness).toContain('garbage');
    expect(of('model-unavailable')?.remedy).toContain('fall back');
    for (const each of outcomes) expect(each.remedy === undefined).toBe(each.weakness === undefined);
  });

  test('go through a team with all its members', async () => {
    const member = (name: string) =>
      agent({ name, model: scriptedModel(Array.from({ length: 60 }, () => `${name}!`)) });
    const team = pipeline({ name: 'team', stages: [member('one'), member('two')] });
    const { baseline, outcomes, counts } = await injectFaults(team, { input: 'go', limit: 3 });
    expect(baseline.models).toHaveLength(2);
    expect(counts.hung).toBe(0);
    expect(outcomesOf(outcomes, 'killed-after')).toEqual(['same', 'same', 'same']);
  });

  test('wait for genuine work, which takes the time of the platform, while their own time stands still', async () => {
    const server = createServer((_, response) => {
      setTimeout(() => response.end('It rains.'), 15);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}/`;
    const ask = async () => (await fetch(url)).text();
    const far = tool({
      name: 'far',
      description: 'Far away.',
      safety: 'read',
      input: z.object({}),
      execute: ask,
    });
    const model: Model = {
      provider: 'example',
      id: 'far',
      isLanguageModel: false,
      answer: async ({ messages }) => {
        const text = await ask();
        const hasLooked = messages.at(messages.length - 1)?.role === 'tool';
        return modelAnswer(hasLooked ? { text } : { calls: [{ id: 'c', name: 'far', input: {} }] });
      },
    };
    const clerk = agent({ name: 'clerk', tools: [far], model });
    const report = await injectFaults(clerk, { input: 'go', faults: ['model', 'tool'], limit: 1 });
    server.close();
    expect(report.baseline).toMatchObject({ output: 'It rains.', durationMs: 0 });
    expect(report.counts.hung + report.counts.unreached).toBe(0);
    expect(outcomesOf(report.outcomes, 'model-silent')).toEqual(['same']);
    expect(outcomesOf(report.outcomes, 'tool-slow')).toEqual(['same']);
  });

  test('may be some only, at some places only, and judged by what an answer means', async () => {
    const clerk = agent({ name: 'clerk' });
    let asked = 0;
    const model = () => scriptedModel(Array.from({ length: 5 }, () => `It is ${(asked += 1)}.`));
    const strict = await injectFaults(clerk, { input: 'go', model, faults: ['model'], limit: 1 });
    const lax = await injectFaults(clerk, {
      input: 'go',
      model,
      faults: ['model'],
      limit: 1,
      isSame: (output) => typeof output === 'string' && output.startsWith('It is'),
    });
    expect(outcomesOf(strict.outcomes, 'model-unavailable')).toEqual(['other']);
    expect(outcomesOf(lax.outcomes, 'model-unavailable')).toEqual(['same']);
  });

  test('stop when they are no longer wanted, and say so', async () => {
    const controller = new AbortController();
    const model = () => scriptedModel(Array.from({ length: 5 }, () => 'Yes.'));
    const report = await injectFaults(agent({ name: 'clerk' }), {
      input: 'go',
      model,
      signal: controller.signal,
      onProgress: (injected) => {
        if (injected === 3) controller.abort();
      },
    });
    expect(report.outcomes).toHaveLength(3);
    expect(report.stopped).toContain('it was aborted: 3 of');
  });

  test('are refused where they would tell nothing, or harm', async () => {
    const failing = agent({ name: 'failing', model: scriptedModel([]) });
    await expect(injectFaults(failing, { input: 'go' })).rejects.toThrow('does not complete without one');
    const writer = agent({ name: 'writer', memory: [windowMemory()] });
    await expect(injectFaults(writer, { input: 'go' })).rejects.toThrow('has memories');
    await expect(
      Reflect.apply(injectFaults, undefined, [failing, { input: 'go', faults: ['modle'] }]),
    ).rejects.toThrow('not one of model, tool, store, process');
    await expect(
      Reflect.apply(injectFaults, undefined, [failing, { input: 'go', fault: [] }]),
    ).rejects.toThrow('did you mean `faults`');
  });
});
