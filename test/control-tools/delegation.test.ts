import { describe, expect, test } from 'vitest';
import type { Agent, AgentOptions } from '../../src/contracts/agents/agent.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline } from '../../src/patterns/index.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { awaitDelegates, callOffDelegate } from '../../src/tools/built-in/delegation/delegation-controls.ts';
import type { DelegateOptions } from '../../src/tools/built-in/delegation/delegate.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { delegateEngagements, returned } from '../../src/machines/agent/delegations.ts';
import type { AgentContext } from '../../src/machines/agent/agent-context.ts';
import { initialContext } from '../../src/machines/agent/agent-context.ts';
import { emptyTally } from '../../src/contracts/agents/tally.ts';
import { echo, letTimePass, ofType, phasesOf, settled, start } from '../support/runs.ts';

const give = (to: string, task = 'Find out.', id?: string) =>
  calls({ name: 'delegate', input: { to, task, ...(id === undefined ? {} : { id }) } });
const awaits = calls({ name: 'await_delegates', input: {} });

/** An agent that takes some time. */
const taking = (clock: VirtualClock, name: string, ms: number, ...script: readonly ScriptedReply[]) =>
  agent({
    name,
    model: scriptedModel(script.length === 0 ? [`${name} is done.`] : script),
    tools: [echo],
    observe: () =>
      new Promise<undefined>((resolve) => {
        clock.setTimeout(() => {
          resolve(undefined);
        }, ms);
      }),
  });

const leading = (
  script: readonly ScriptedReply[],
  options: DelegateOptions,
  more: Partial<AgentOptions> = {},
) => {
  const model = scriptedModel(script);
  const lead = agent({
    name: 'lead',
    model,
    tools: [delegate(options), awaitDelegates, callOffDelegate],
    stop: more.stop,
    limits: more.limits,
  });
  return { lead, model };
};

const lastOf = (model: ReturnType<typeof scriptedModel>, request: number): string =>
  model.requests[request]?.messages.map(({ role, text }) => `${role}: ${text}`).join('\n') ?? '';

describe('[TENEX-U6] delegating in the background', () => {
  const play = async (lead: Agent<string, unknown>, clock: VirtualClock) =>
    letTimePass(clock, settled(start(lead, 'go', { clock })), 50);

  test('gives an id at once; the agent goes on, and is told what came of it', async () => {
    const clock = virtualClock();
    const finder = taking(clock, 'finder', 500);
    const { lead, model } = leading([give('finder'), awaits, 'All found.'], {
      to: [finder],
      mode: 'background',
    });
    const result = await play(lead, clock);
    expect(result.output).toBe('All found.');
    expect(result.records[0]?.results[0]).toMatchObject({
      ok: true,
      value: { id: 'finder-0_0', agent: 'finder', status: 'working' },
    });
    expect(phasesOf(result.events, 'lead')).toContain('waiting');
    expect(lastOf(model, 2)).toContain('[finder-0_0] finder is done.');
    expect(ofType(result.events, 'delegation.began')).toMatchObject([
      { id: 'finder-0_0', child: 'lead/finder-0_0' },
    ]);
    expect(ofType(result.events, 'delegation.returned')).toMatchObject([
      { id: 'finder-0_0', status: 'completed' },
    ]);
  });

  test('two that come back shortly after each other wake it once', async () => {
    const clock = virtualClock();
    const quick = taking(clock, 'quick', 500);
    const soon = taking(clock, 'soon', 600);
    const both = calls(
      { name: 'delegate', input: { to: 'quick', task: 'x' } },
      { name: 'delegate', input: { to: 'soon', task: 'x' } },
      { name: 'await_delegates', input: {} },
    );
    const { lead, model } = leading([both, 'Both.'], { to: [quick, soon], mode: 'background' });
    const result = await play(lead, clock);
    expect(result.output).toBe('Both.');
    expect(result.records).toHaveLength(2);
    expect(lastOf(model, 1)).toMatch(/quick is done.*soon is done/s);
    expect(phasesOf(result.events, 'lead').filter((phase) => phase === 'gathering')).toHaveLength(1);
  });

  test('who comes back late does not keep it: what it has it sees when its patience is over', async () => {
    const clock = virtualClock();
    const quick = taking(clock, 'quick', 100);
    const slow = taking(clock, 'slow', 10_000);
    const both = calls(
      { name: 'delegate', input: { to: 'quick', task: 'x' } },
      { name: 'delegate', input: { to: 'slow', task: 'x' } },
      { name: 'await_delegates', input: {} },
    );
    const { lead, model } = leading([both, awaits, 'Both.'], { to: [quick, slow], mode: 'background' });
    const result = await play(lead, clock);
    expect(result.output).toBe('Both.');
    expect(lastOf(model, 1)).toContain('quick is done');
    expect(lastOf(model, 1)).not.toContain('slow is done');
    expect(lastOf(model, 2)).toContain('slow is done');
  });

  test('an answer while work is under way is put back once, and then ends it', async () => {
    const clock = virtualClock();
    const slow = taking(clock, 'slow', 60_000);
    const { lead, model } = leading([give('slow'), 'First.', 'Second.'], { to: [slow], mode: 'background' });
    const result = await play(lead, clock);
    expect(result.output).toBe('Second.');
    expect(lastOf(model, 2)).toContain('still under way (slow-0_0)');
    expect(ofType(result.events, 'member.ended')).toMatchObject([{ member: 'slow', status: 'aborted' }]);
    expect(clock.pending).toBeLessThanOrEqual(1);
  });

  test('an answer waits for the work where it is to: a child is not through before those that it gave work to', async () => {
    const clock = virtualClock();
    const deep = taking(clock, 'deep', 5_000);
    const middle = leading([give('deep'), 'Not yet.', 'Now.'], {
      to: [deep],
      mode: 'background',
      beforeEnd: 'wait',
    });
    const middling = agent({
      name: 'middle',
      model: middle.model,
      tools: [delegate({ to: [deep], mode: 'background', beforeEnd: 'wait' })],
    });
    const { lead } = leading([give('middle'), awaits, 'Done.'], { to: [middling], mode: 'background' });
    const result = await play(lead, clock);
    expect(result.output).toBe('Done.');
    expect(ofType(result.events, 'delegation.returned').map(({ to }) => to)).toEqual(['deep', 'middle']);
    expect(lastOf(middle.model, 2)).toContain('deep is done');
  });

  test('and ends at once where it may leave it', async () => {
    const clock = virtualClock();
    const slow = taking(clock, 'slow', 60_000);
    const { lead } = leading([give('slow'), 'First.'], {
      to: [slow],
      mode: 'background',
      beforeEnd: 'leave',
    });
    expect((await play(lead, clock)).output).toBe('First.');
  });

  test('at a limit the answer stands, whatever is under way', async () => {
    const clock = virtualClock();
    const slow = taking(clock, 'slow', 60_000);
    const { lead } = leading(
      [give('slow'), 'First.'],
      { to: [slow], mode: 'background', beforeEnd: 'wait' },
      { stop: maxSteps(2) },
    );
    expect(await play(lead, clock)).toMatchObject({ status: 'completed', output: 'First.' });
  });

  test('what came back and was not read puts an answer back', async () => {
    const clock = virtualClock();
    const quick = taking(clock, 'quick', 10);
    const lead = agent({
      name: 'lead',
      model: scriptedModel([give('quick'), 'Too early.', 'With it.']),
      tools: [delegate({ to: [quick], mode: 'background' })],
      critics: [
        {
          name: 'slow',
          critique: () =>
            new Promise((resolve) => {
              clock.setTimeout(() => {
                resolve({ verdict: 'accept' });
              }, 1_000);
            }),
        },
      ],
    });
    const result = await play(lead, clock);
    expect(result.output).toBe('With it.');
    expect(result.records).toHaveLength(3);
  });

  test('work that is called off comes back no more, and cannot be gone on with', async () => {
    const clock = virtualClock();
    const slow = taking(clock, 'slow', 60_000);
    const { lead } = leading(
      [
        give('slow'),
        calls({ name: 'call_off_delegate', input: { id: 'slow-0_0' } }),
        give('slow', 'More.', 'slow-0_0'),
        calls({ name: 'call_off_delegate', input: { id: 'slow-0_0' } }),
        awaits,
        'Without.',
      ],
      { to: [slow], mode: 'background', followUps: true },
    );
    const result = await play(lead, clock);
    expect(result.output).toBe('Without.');
    expect(ofType(result.events, 'member.ended')).toMatchObject([{ member: 'slow', status: 'aborted' }]);
    const failed = ofType(result.events, 'tool.finished').filter(({ ok }) => !ok);
    expect(failed.map(({ text }) => text)).toEqual([
      expect.stringContaining('was cancelled'),
      expect.stringContaining('no work of that id is in progress'),
    ]);
    expect(ofType(result.events, 'delegation.returned')).toEqual([]);
  });

  test('one that fails, one that is stopped and one that may not be engaged come back, too', async () => {
    const clock = virtualClock();
    const broken = agent({ name: 'broken', model: scriptedModel([]) });
    const stopped = agent({
      name: 'stopped',
      tools: [echo],
      model: scriptedModel([calls({ name: 'echo', input: { text: 'x' } })]),
      stop: maxSteps(1),
    });
    const both = calls(
      { name: 'delegate', input: { to: 'broken', task: 'x' } },
      { name: 'delegate', input: { to: 'stopped', task: 'x' } },
      { name: 'delegate', input: { to: 'stopped', task: 'x' } },
      { name: 'await_delegates', input: {} },
    );
    const model = scriptedModel([both, 'Done.', 'Done.', 'Done.']);
    const lead = agent({
      name: 'lead',
      model,
      tools: [delegate({ to: [broken, stopped], mode: 'background' }), awaitDelegates],
      limits: { maxChildren: 2 },
    });
    const result = await play(lead, clock);
    expect(result.output).toBe('Done.');
    const said = lastOf(model, model.requests.length - 1);
    expect(said).toContain("[broken-0_0] 'broken' failed:");
    expect(said).toContain(
      "[stopped-0_1] 'stopped' was stopped before it was done (maxSteps). It left nothing.",
    );
    expect(said).toContain("Cannot engage 'stopped' as 'lead' has its maximum of 2 agents at work");
  });
});

describe('[TENEX-U6] who completes a delegation', () => {
  const context = (): AgentContext => {
    const first = initialContext({ input: undefined });
    const given = {
      id: 'a-0_0',
      to: 'a',
      tool: 'delegate',
      path: 'lead/a-0_0',
      status: 'working',
      index: 3,
      task: 'x',
      beforeEnd: 'tell',
      gatherMs: 0,
      terms: {},
    } as const;
    const delegations = {
      given: [given],
      engaged: 4,
      isNotified: false,
      isParked: false,
      beginning: [],
      leaving: [],
      saying: [],
    };
    return { ...first, review: { ...first.review, delegations } };
  };
  const output = {
    status: 'completed',
    stopReason: { kind: 'answered' },
    output: 'x',
    steps: 1,
    state: {},
    tally: emptyTally(0),
  } as const;

  test('is only who was engaged for it last, and only once', () => {
    const before = context();
    expect(returned(before, { index: 2, path: 'lead/a-0_0', output }, 5)).toEqual({});
    expect(returned(before, { index: 3, path: 'lead/b-0_0', output }, 5)).toEqual({});
    const change = returned(before, { index: 3, path: 'lead/a-0_0', output }, 5);
    expect(change.inbox).toEqual([
      { from: 'a', text: '[a-0_0] x', data: { delegation: 'a-0_0', status: 'completed' } },
    ]);
    expect(returned({ ...before, ...change }, { index: 3, path: 'lead/a-0_0', output }, 6)).toEqual({});
    expect(delegateEngagements(before)).toEqual([]);
  });
});

describe('[TENEX-U7] variants of delegating', () => {
  const play = async (lead: Agent<string, unknown>, clock = virtualClock()) =>
    letTimePass(clock, settled(start(lead, 'go', { clock })), 50);

  test.each(['wait', 'background'] as const)(
    'a follow-up goes on with all that was said: %s',
    async (mode) => {
      const finder = scriptedModel(['It is 42.', 'As I said, 42.']);
      const { lead } = leading(
        [
          give('finder', 'What is it?'),
          awaits,
          give('finder', 'Are you sure?', 'finder-0_0'),
          awaits,
          'Sure.',
        ],
        { to: [agent({ name: 'finder', model: finder })], mode, followUps: true },
      );
      const result = await play(lead);
      expect(result.output).toBe('Sure.');
      expect(lastOf(finder, 1)).toBe('user: What is it?\nassistant: It is 42.\nuser: Are you sure?');
      const children = ofType(result.events, 'member.engaged').map(({ path }) => path);
      expect(new Set(children).size).toBe(2);
    },
  );

  test('a follow-up to one that is at work is a word to it', async () => {
    const clock = virtualClock();
    const model = scriptedModel([calls({ name: 'echo', input: { text: 'x' } }), 'Heard.']);
    const worker = agent({
      name: 'worker',
      model,
      tools: [echo],
      observe: () =>
        new Promise<undefined>((resolve) => {
          clock.setTimeout(() => {
            resolve(undefined);
          }, 1_000);
        }),
    });
    const { lead } = leading([give('worker'), give('worker', 'Hurry.', 'worker-0_0'), awaits, 'Done.'], {
      to: [worker],
      mode: 'background',
      followUps: true,
    });
    expect((await play(lead, clock)).output).toBe('Done.');
    expect(lastOf(model, 1)).toContain('Hurry.');
  });

  test('what cannot be gone on with is refused, and why', async () => {
    const desk = pipeline({ name: 'desk', stages: [agent({ name: 'first', model: scriptedModel(['x']) })] });
    const finder = agent({ name: 'finder', model: scriptedModel(['y']) });
    const { lead } = leading(
      [
        give('desk', 'x', 'desk-9_9'),
        give('desk'),
        awaits,
        give('desk', 'More.', 'desk-1_0'),
        give('finder', 'More.', 'desk-1_0'),
        'Done.',
      ],
      { to: [desk, finder], mode: 'background', followUps: true },
    );
    const result = await play(lead);
    const failed = ofType(result.events, 'tool.finished').filter(({ ok }) => !ok);
    expect(failed.map(({ text }) => text)).toEqual([
      expect.stringContaining("no work has the id 'desk-9_9'"),
      expect.stringContaining('has no conversation to continue'),
      expect.stringContaining("is that of 'desk'"),
    ]);
  });

  test.each(['wait', 'background'] as const)('to another of itself, without the tool: %s', async (mode) => {
    const model = scriptedModel([
      calls({ name: 'delegate', input: { to: 'self', task: 'A part.' } }),
      ...(mode === 'background' ? [awaits] : []),
      'Whole.',
    ]);
    const lead: Agent<string, unknown> = agent({
      name: 'lead',
      model,
      tools: [delegate({ to: [], self: true, mode }), awaitDelegates],
      decide: ({ transcript }) => {
        const isInner = transcript.at(0)?.text === 'A part.';
        return isInner ? { kind: 'answer', answer: 'part' } : undefined;
      },
    });
    const result = await play(lead);
    expect(result.output).toBe('Whole.');
    const engaged = ofType(result.events, 'member.engaged');
    expect(engaged).toMatchObject([
      { member: 'lead', path: mode === 'wait' ? 'lead/lead-0' : 'lead/lead-0_0' },
    ]);
    expect(lastOf(model, model.requests.length - 1)).toContain('part');
  });

  test('another of itself has not the tool', async () => {
    const model = scriptedModel([
      calls({ name: 'delegate', input: { to: 'self', task: 'A part.' } }),
      calls({ name: 'delegate', input: { to: 'self', task: 'A part of it.' } }),
      'Alone, then.',
      'Whole.',
    ]);
    const lead = agent({ name: 'lead', model, tools: [delegate({ to: [], self: true })] });
    const result = await play(lead);
    expect(result.output).toBe('Whole.');
    expect(model.requests.map(({ tools }) => tools?.length ?? 0)).toEqual([1, 0, 0, 1]);
    expect(ofType(result.events, 'tool.finished').find(({ ok }) => !ok)?.error?.code).toBe('tool.unknown');
  });

  test('[TENEX-U7] a circle is refused: a to b to a, in the background as well', async () => {
    const b = agent({
      name: 'b',
      model: scriptedModel([give('a'), 'Refused.']),
      tools: [delegate({ to: [agent({ name: 'a' })], mode: 'background' })],
    });
    const a = agent({
      name: 'a',
      model: scriptedModel([give('b'), awaits, 'Out.']),
      tools: [delegate({ to: [b], mode: 'background' }), awaitDelegates],
    });
    const result = await play(a);
    expect(result.output).toBe('Out.');
    const failed = ofType(result.events, 'tool.finished').filter(({ ok }) => !ok);
    expect(failed).toMatchObject([{ path: 'a/b-0_0', error: { code: 'tool.denied' } }]);
  });

  test.each([
    ['task', 'Find out.'],
    [
      'summary',
      "Find out.\n\nThe conversation of 'lead' in which this came up:\n[user] go\n[assistant] calls echo",
    ],
    ['conversation', '[echo] a secret'],
    [
      ({ task, agent: by }: { task: string; agent: string }) => `${by} wants: ${task}`,
      'lead wants: Find out.',
    ],
  ] as const)('a child sees what was chosen, and nothing by accident: %s', async (sees, expected) => {
    const finder = scriptedModel(['Found.']);
    const model = scriptedModel([
      calls({ name: 'echo', input: { text: 'a secret' } }),
      give('finder'),
      'Done.',
    ]);
    const lead = agent({
      name: 'lead',
      model,
      tools: [delegate({ to: [agent({ name: 'finder', model: finder })], sees }), echo],
    });
    await play(lead);
    const said = lastOf(finder, 0);
    expect(said).toContain(expected);
    expect(said.includes('[echo]')).toBe(sees === 'conversation');
    expect(said === 'user: Find out.').toBe(sees === 'task');
  });

  test('nor the history or the task of the run', async () => {
    const finder = scriptedModel(['Found.']);
    const { lead } = leading([give('finder'), awaits, 'Done.'], {
      to: [agent({ name: 'finder', model: finder })],
      mode: 'background',
    });
    await settled(
      start(lead, 'go', { history: [{ role: 'user', text: 'earlier' }], task: 'The whole task.' }),
    );
    expect(lastOf(finder, 0)).toBe('user: Find out.');
  });
});

test('options of the other mode are refused', () => {
  const to = [agent({ name: 'worker' })];
  const wrong = (options: object) => () => delegate({ to, ...options } as DelegateOptions);
  expect(wrong({ mode: 'background', timeoutMs: 5 })).toThrow(
    "timeoutMs is not an option of the mode 'background'",
  );
  expect(wrong({ gatherMs: 5 })).toThrow("gatherMs is not an option of the mode 'wait'");
});
