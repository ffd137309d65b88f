import { describe, expect, test } from 'vitest';
import { property } from '../../../src/policy/index.ts';
import type { EventBody } from '../../../src/contracts/events/event.ts';
import { approved, judge, over, started, violated } from './event-of.ts';

const { never, always, atMost, within, invariant } = property;

const answered = (usd: number | undefined, tokens = 10): EventBody => ({
  type: 'model.answered',
  model: 'm',
  key: 'k',
  text: '',
  calls: 0,
  finish: 'stop',
  usage: { input: tokens, output: 0 },
  durationMs: 1,
  ...(usd === undefined ? {} : { costUsd: usd }),
});

const reduced = (key: string, after: number): EventBody => ({
  type: 'agent.reduced',
  diff: { [key]: { after } },
});

describe('a property over events', () => {
  test('never: names the event, its step, agent and rule', () => {
    expect(judge(never('pay'), started('ask'), started('pay'), started('pay'))).toEqual([
      {
        rule: 'never pay',
        reason: 'pay happened',
        seq: 1,
        event: 'tool.started',
        path: 'clerk',
        agent: 'clerk',
        step: 0,
        tool: 'pay',
      },
    ]);
  });

  test('never before: one event serves all that follow, or with `each` one', () => {
    const once = never('pay').before('tool.approved');
    const each = never('pay').before({ event: 'tool.approved', tool: 'pay' }, { each: true });
    expect(violated(once, started('pay'), approved('pay'))).toEqual([0]);
    expect(violated(once, approved('pay'), started('pay'), started('pay'))).toEqual([]);
    expect(violated(each, approved('pay'), started('pay'), started('pay'))).toEqual([2]);
    expect(violated(each, approved('pay'), approved('pay'), started('pay'), started('pay'))).toEqual([]);
    expect(violated(each, approved('other'), started('pay'))).toEqual([1]);
    expect(once.name).toBe('never pay before tool.approved');
    expect(each.name).toBe('never pay before tool.approved pay each time');
  });

  test('never after: what came before is no matter', () => {
    const tainted = never('send').after('fetch*');
    expect(violated(tainted, started('send'), started('fetch_page'), started('send'))).toEqual([2]);
    expect(violated(never('send').after('send'), started('send'), started('send'))).toEqual([1]);
  });

  test('always eventually: is judged when the run is over, and names that', () => {
    const asked = always('ask').eventually('answer');
    expect(violated(asked, started('ask'), started('other'))).toEqual([]);
    expect(violated(asked, started('ask'), started('answer'), over)).toEqual([]);
    expect(violated(asked, started('answer'), started('ask'), over)).toEqual([2]);
    const each = always('ask').eventually('answer', { each: true });
    expect(violated(each, started('ask'), started('ask'), started('answer'), over)).toEqual([3]);
  });

  test('at most: attempts after the first, and starts that the runtime made up, are no calls', () => {
    const again: EventBody = { ...started('pay'), attempt: 2 } as EventBody;
    const made: EventBody = { ...started('pay'), synthesised: true } as EventBody;
    expect(violated(atMost(1, 'pay'), started('pay'), again, made)).toEqual([]);
    expect(violated(atMost(1, 'pay'), started('pay'), started('pay'))).toEqual([1]);
    expect(violated(atMost(0, 'pay'), started('pay'))).toEqual([0]);
  });

  test('within: counts what a whole run uses, exactly', () => {
    expect(violated(within({ usd: 0.3 }), answered(0.1), answered(0.2), answered(0.000_000_1))).toEqual([2]);
    expect(violated(within({ tokens: 20 }), answered(0), answered(0), answered(0))).toEqual([2]);
    expect(violated(within({ toolCalls: 1 }), started('a'), started('b'))).toEqual([1]);
    expect(violated(within({ usd: 1 }), answered(undefined))).toEqual([0]);
    expect(violated(within({ usd: 1, unpriced: 'ignore' }), answered(undefined))).toEqual([]);
    const asked: EventBody = { type: 'model.asked', model: 'm', key: 'k', messages: 1, attempt: 1 };
    const cached = { ...answered(0), cached: { usage: { input: 1, output: 1 }, durationMs: 1 } } as EventBody;
    expect(violated(within({ modelCalls: 1 }), asked, cached, asked)).toEqual([]);
    expect(violated(within({ modelCalls: 1 }), asked, answered(0), asked)).toEqual([2]);
  });

  test('invariant: sees the states of all agents, as steps changed them', () => {
    const low = invariant('stock', ({ states }) => Number(states['clerk']?.['left'] ?? 1) >= 0);
    expect(violated(low, reduced('left', 1), reduced('left', -1), reduced('left', 1))).toEqual([1]);
  });

  test('an automaton of an app: its states are plain JSON, its verdicts texts', () => {
    const two = property({
      name: 'two in a row',
      initial: { last: '' },
      next: (state, event) =>
        event.type === 'tool.started' ? { last: state.last === event.tool ? 'twice' : event.tool } : state,
      violation: ({ last }) => (last === 'twice' ? 'it is called again at once' : undefined),
    });
    expect(violated(two, started('a'), started('b'), started('b'))).toEqual([2]);
    const odd = property<null>({
      name: 'odd',
      initial: null,
      next: () => new Date() as never,
      violation: () => undefined,
    });
    expect(() => violated(odd, started('a'))).toThrow(
      "Cannot use the state of 'odd' after tool.started as it is a Date, which is not kept as it is: write its text",
    );
    const silent = property<null>({
      name: 'no',
      initial: null,
      next: () => null,
      violation: () => 1 as never,
    });
    expect(() => violated(silent, over)).toThrow(
      "Cannot judge 'no' as its `violation` returned neither a text nor nothing: 1",
    );
  });

  test('a pattern: states of agents, arguments, and ends of calls', () => {
    const entered: EventBody = { type: 'phase.entered', phase: 'ACT' };
    expect(violated(never({ agent: 'clerk', state: 'ACT' }), entered)).toEqual([0]);
    expect(violated(never({ agent: 'other', state: 'ACT' }), entered)).toEqual([]);
    expect(
      violated(never({ tool: 'send', input: { to: '*@evil.com' } }), started('send', 'a@evil.com')),
    ).toEqual([0]);
    expect(
      violated(never({ tool: 'send', input: { to: '*@evil.com' } }), started('send', 'a@good.com')),
    ).toEqual([]);
    const failed: EventBody = {
      type: 'tool.finished',
      callId: 'c',
      tool: 'pay',
      ok: false,
      text: '',
      durationMs: 0,
    };
    expect(violated(never({ tool: 'pay', ok: false }), failed)).toEqual([0]);
    expect(violated(never({ tool: 'pay', ok: true }), failed)).toEqual([]);
  });

  test('what is required is tested exactly: another spelling does not stand for it', () => {
    const rule = never('pay').before({ tool: 'check', input: { to: { from: 1 } } });
    expect(violated(rule, started('check', '1'), started('pay'))).toEqual([1]);
    expect(violated(rule, started('check', 1), started('pay'))).toEqual([]);
  });

  test('can be given another name, by which it is reported', () => {
    expect(judge(never('pay').named('no-money'), started('pay'))[0]?.rule).toBe('no-money');
  });
});

describe('what is no property is refused, with what to write', () => {
  test.each([
    [() => never(''), 'not a non-empty string'],
    [() => never({}), 'name a tool, a state or an event'],
    [() => never({ event: 'tool.aproved' as never }), 'not a type of event: found'],
    [() => never({ tol: 'x' } as never), 'did you mean `tool`?'],
    [() => atMost(-1, 'pay'), 'not a whole number from 0: found -1'],
    [() => atMost(1.5, 'pay'), 'not a whole number from 0: found 1.5'],
    [() => within({}), 'name one of them'],
    [() => within({ usd: -1 }), 'not a number from 0: found -1'],
    [() => invariant('', () => true), 'not a non-empty string'],
    [() => invariant('x', 1 as never), 'not a function: found 1'],
    [() => never('x').named(''), 'not a non-empty string'],
    [
      () => property({ name: 'x', initial: 0, next: (state: number) => state } as never),
      'not a function: found nothing',
    ],
  ])('%#', (make, message) => {
    expect(make).toThrow(
      expect.objectContaining({ code: 'policy.invalid', message: expect.stringContaining(message) }),
    );
  });

  test('an invariant that says neither', () => {
    expect(() =>
      violated(
        invariant('x', () => Promise.resolve(true) as never),
        over,
      ),
    ).toThrow("Cannot tell whether 'x' holds as its function returned neither true nor false");
  });
});
