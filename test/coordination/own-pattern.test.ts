import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { answer } from '../../src/contracts/agents/decision.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from '../../src/coordination/round/setup-team.ts';
import { beginRound } from '../../src/coordination/round/settle-reply.ts';
import type { TeamContext, TeamInput } from '../../src/coordination/round/team-context.ts';
import { repliesOf, spentEnd, teamContext, teamOutcome } from '../../src/coordination/round/team-context.ts';
import { toMermaid } from '../../src/machines/diagrams/diagram.ts';
import { answeredWith, failedWith, pattern, patternRegistry } from '../../src/patterns/index.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { team } from '../../src/runtime/define/team.ts';
import { patternLaws } from '../../src/testing/pattern-laws.ts';
import { ofType, settled, start } from '../support/runs.ts';
import { assign } from 'xstate';

/** A pattern as somebody writes it who reads the guide: everybody is asked once, and some may veto. */
const council = pattern({
  name: 'council',
  description: 'Everybody is asked once, and some may veto.',
  options: z.object({ vetoes: z.number().int().min(1).default(1) }),
  own: { said: [] as readonly string[] },
  actions: {
    askAll: (context) =>
      beginRound(
        context,
        context.team.members.map((member) => ({ member, input: context.input })),
      ),
    weigh: (context) => {
      const replies = repliesOf(context).filter(({ status }) => status === 'completed');
      const own = { said: replies.map(({ output }) => (typeof output === 'string' ? output : '')) };
      const spent = spentEnd(context);
      if (spent !== undefined) return { own, end: spent };
      if (replies.length === 0)
        return { own, end: failedWith({ code: 'agent.threw', message: 'nobody answered', retryable: 'no' }) };
      const vetoes = own.said.filter((text) => text === 'veto').length;
      return { own, end: answeredWith(vetoes >= context.options.vetoes ? 'vetoed' : 'passed') };
    },
  },
  tells: { tellSaid: ({ own }) => [{ type: 'team.noted', text: `${own.said.length} spoke` }] },
  initial: 'asking',
  states: {
    asking: { description: 'Everybody is asked at the same time.', entry: 'askAll', awaits: 'weighing' },
    weighing: {
      description: 'The vetoes are counted.',
      entry: ['weigh', 'tellSaid'],
      always: ['completed', 'failed', 'stopped'],
    },
  },
});

const says = (name: string, text: string) => agent({ name, decide: () => answer(text) });
const members = { ann: says('ann', 'fine'), bob: says('bob', 'veto') };

describe('a pattern of one’s own', () => {
  test('runs as any other, by its options and their defaults', async () => {
    const strict = council<string, string>({ name: 'hall', members });
    expect((await strict.run('Paint it green?')).output).toBe('vetoed');
    const result = await council<string, string>({ name: 'hall', members, vetoes: 2 }).run('Paint it green?');
    expect(result.output).toBe('passed');
    expect(result.state.said.toSorted()).toEqual(['fine', 'veto']);
    expect(result.events.filter(({ type }) => type === 'team.noted')).toMatchObject([
      { text: '2 spoke', phase: 'weighing' },
    ]);
  });

  test('types follow from what it says: options, members, state and what it gives', () => {
    const hall = () => council<string, string>({ name: 'hall', members });
    type Result = Awaited<ReturnType<ReturnType<typeof hall>['run']>>;
    expectTypeOf<Result['output']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Result['state']['said']>().toEqualTypeOf<readonly string[]>();
    expectTypeOf(council.name).toEqualTypeOf<'council'>();
    // @ts-expect-error vetoes are a number
    expect(() => council({ name: 'hall', members, vetoes: 'two' })).toThrow(/its vetoes is .*'two'/);
    // @ts-expect-error nobody is in it
    expect(() => council({ name: 'hall' })).toThrow('its members are not given by name: found nothing');
  });

  test('a schema without an option takes members and nothing else', async () => {
    const plain = pattern({
      name: 'plain',
      description: 'Decides at once.',
      options: z.object({}),
      own: {},
      actions: { end: () => ({ end: answeredWith('done') }) },
      initial: 'ending',
      states: { ending: { description: 'It ends.', entry: 'end', always: 'completed' } },
    });
    expect((await plain<string, string>({ name: 'hall', members }).run('go')).output).toBe('done');
    // @ts-expect-error there is no such option
    expect(() => plain({ name: 'hall', members, vetoes: 2 })).toThrow('its option `vetoes` is unknown');
  });

  test('an option that there is not is refused, with the nearest name', () => {
    const setup = { name: 'hall', members, vetos: 2 };
    expect(() => council(setup)).toThrow('its option `vetos` is unknown: did you mean `vetoes`?');
  });

  test('its chart is drawn as it stands there, with the ends that every team has', () => {
    const drawn = toMermaid(council.machine(), { descriptions: 'none' });
    expect(drawn).toContain('[*] --> asking');
    expect(drawn).toMatch(/asking --> weighing : .*\[isRoundOver\]/);
    expect(drawn).toContain('weighing --> completed : [isCompleted]');
    expect(drawn).toContain('weighing --> stopped');
    expect(council<string, string>({ name: 'hall', members }).diagram()).toContain('weighing');
  });

  test('a state that there is not is refused by the compiler', () => {
    const wrong = () =>
      pattern({
        name: 'wrong',
        description: 'Goes nowhere.',
        own: {},
        actions: { ask: () => ({}) },
        // @ts-expect-error there is no such state
        initial: 'askin',
        // @ts-expect-error there is no state called weighting
        states: { asking: { description: 'All are asked.', entry: 'ask', awaits: 'weighting' } },
      });
    expect(wrong).not.toThrow();
  });

  // JavaScript has no types.
  const odd = (parts: object, asking: object = {}) => {
    const made: (setup: object) => unknown = pattern({
      name: 'odd',
      description: 'All are asked.',
      own: {},
      actions: { ask: () => ({}) },
      initial: 'asking',
      states: { asking: { description: 'All are asked.', entry: 'ask', awaits: 'completed', ...asking } },
      ...parts,
    });
    return () => made({ name: 'hall', members });
  };

  test.each<[string, () => unknown]>([
    ['its option `action` is unknown: did you mean `actions`?', odd({ action: {} })],
    ['its option `states.asking.await` is unknown: did you mean `awaits`?', odd({}, { await: 'completed' })],
    [
      "its states.asking.awaits is not a state of it: found 'tt', write one of asking, ",
      odd({}, { awaits: 'tt' }),
    ],
    ["its initial is not a state of it: found 'askin', write one of asking", odd({ initial: 'askin' })],
    ["its states.asking.always is not a state of it: found 'tt'", odd({}, { always: 'tt' })],
    [
      'its option `states.asking.always[0].gard` is unknown: did you mean `guard`?',
      odd({}, { always: [{ gard: 'is', target: 'asking' }] }),
    ],
    ['its states.asking awaits replies and has an arrow (always) that is', odd({}, { always: 'completed' })],
    ['its maxRounds is not a whole number from 1', odd({ maxRounds: 0 })],
    ['its own is not plain JSON', odd({ own: { left: Number.NaN } })],
  ])('a part of it that there is not, or does not fit, is refused by name: %s', (message, make) => {
    expect(make).toThrow(message);
    expect(make).toThrow(/^Cannot define the pattern 'odd' as /);
    expect(make).toThrow(expect.objectContaining({ code: 'machine.invalid' }));
  });

  test('is found by its name among those of the house', () => {
    const patterns = patternRegistry([council]);
    expect(patterns.names).toContain('council');
    expect(patterns.get('council')({ name: 'hall', members })).toMatchObject({ name: 'hall' });
  });
});

describe('[FIND-41] what the house demands of a pattern has a default where it can', () => {
  const looping = pattern({
    name: 'looping',
    description: 'Goes round and round.',
    own: {},
    actions: {},
    guards: { isNever: () => false },
    initial: 'going',
    states: {
      going: { description: 'Goes there.', always: [{ guard: 'isNever', target: 'completed' }, 'back'] },
      back: { description: 'Goes back.', always: 'going' },
    },
  });

  test('maxIterations: a chart that goes round for ever is given up by itself', async () => {
    await expect(looping({ name: 'loop', members }).run('go')).rejects.toThrow(/1000|1,000/);
    expect(looping.machine().config.options).toEqual({ maxIterations: 1_000 });
  });

  test('maxIterations: a machine by `setupTeam()` may leave it out', async () => {
    type Context = TeamContext<Record<string, never>, Record<string, never>>;
    const machine = setupTeam<Record<string, never>, Record<string, never>>()
      .extend({
        actions: {
          ask: assign(({ context }: { context: Context }) =>
            beginRound(
              context,
              context.team.members.map((member) => ({ member, input: context.input })),
            ),
          ),
          end: assign(() => ({ end: answeredWith('asked') })),
        },
      })
      .createMachine({
        id: 'plain',
        description: 'All are asked.',
        context: ({ input }: { input: TeamInput<Record<string, never>> | undefined }) =>
          teamContext(input, {}, {}),
        output: teamOutcome,
        initial: 'asking',
        on: teamArrows,
        states: {
          asking: { description: 'All are asked.', entry: ['ask', 'engageMembers'], ...awaiting('asked') },
          asked: { description: 'All have answered.', entry: 'end', always: { target: 'completed' } },
          ...teamEnds,
        },
      });
    const plain = team<string, string>({ name: 'plain', machine, members, options: {} });
    expect((await plain.run('go')).output).toBe('asked');
  });
});

describe('a pattern of one’s own cannot go round for ever', () => {
  /** Asks again and again; `hear` says how it goes on. */
  const asking = (
    hear: (context: TeamContext<{ heard: number }>) => Partial<TeamContext<{ heard: number }>>,
    maxRounds?: number,
  ) =>
    pattern({
      name: 'asking',
      description: 'Ann is asked again and again.',
      own: { heard: 0 },
      maxRounds,
      actions: {
        ask: (context) => beginRound(context, [{ member: 'ann', input: context.input }]),
        hear,
      },
      guards: { isAlwaysSo: () => true },
      initial: 'speaking',
      states: {
        speaking: { description: 'She speaks.', entry: 'ask', awaits: 'hearing' },
        hearing: {
          description: 'She is asked again, in any case.',
          entry: 'hear',
          always: [{ guard: 'isAlwaysSo', target: 'speaking' }, 'completed'],
        },
      },
    })<string, string>({ name: 'valley', members, limits: { budget: { steps: 20 } } });
  const count = ({ own }: TeamContext<{ heard: number }>) => ({ own: { heard: own.heard + 1 } });

  test('once it has ended no round begins: the arrow to the end comes first', async () => {
    const valley = asking((context) => ({ ...count(context), end: answeredWith('done') }));
    const { status, error, events } = await settled(start(valley, 'go'));
    expect(status).toBe('failed');
    expect(error).toMatchObject({
      code: 'machine.invalid',
      message: expect.stringMatching(
        /^Cannot begin a round of 'valley' as it has ended \(completed\): take the arrow to the end first/,
      ),
    });
    expect(ofType(events, 'member.engaged')).toHaveLength(1);
  });

  test('a budget that is spent ends it, though it does not look at `spentEnd`', async () => {
    const { status, error, events } = await settled(start(asking(count), 'go'));
    expect(status).toBe('failed');
    expect(error?.code).toBe('budget.spent');
    expect(error?.message).toContain("'valley' as its budget is spent: end it with spentEnd(context)");
    // Twenty that were paid for, and as many more as it may take to undo what they did.
    expect(ofType(events, 'member.engaged').length).toBeLessThanOrEqual(41);
  });

  test('its rounds are bounded', async () => {
    const { status, error, events } = await settled(start(asking(count, 3), 'go'));
    expect(status).toBe('failed');
    expect(error?.code).toBe('limit.reached');
    expect(error?.message).toContain("'valley' as it has had 3, which is its maxRounds");
    expect(ofType(events, 'member.engaged')).toHaveLength(3);
  });
});

describe('a pattern of one’s own cannot wait for nobody', () => {
  const waiting = (ask: (context: TeamContext<{ heard: number }>) => object, always?: object) =>
    pattern({
      name: 'waiting',
      description: 'Somebody is asked, or nobody.',
      own: { heard: 0 },
      // JavaScript has no types.
      actions: { ask: (context) => ask(context), hear: () => ({ end: answeredWith('nobody spoke') }) },
      guards: { isQuiet: ({ own }) => own.heard === 0, isLoud: ({ own }) => own.heard > 0 },
      initial: 'speaking',
      states: {
        speaking: { description: 'They speak.', entry: 'ask', awaits: 'hearing', ...always },
        hearing: { description: 'They have spoken.', entry: 'hear', always: 'completed' },
      },
    })<string, string>({ name: 'valley', members });

  test('a round without a task is over at once, without a reply', async () => {
    const { status, output } = await settled(
      start(
        waiting((context) => beginRound(context, [])),
        'go',
      ),
    );
    expect({ status, output }).toEqual({ status: 'completed', output: 'nobody spoke' });
  });

  test.each<[string, object | undefined]>([
    ['without an arrow of its own', undefined],
    ['with one that does not hold', { always: { guard: 'isLoud', target: 'hearing' } }],
    ['with one for a team that has ended', { always: ['stopped', { guard: 'isLoud', target: 'hearing' }] }],
  ])('a state that waits although nobody was asked is refused by name: %s', async (_, always) => {
    const { status, error } = await settled(
      start(
        waiting(() => ({}), always),
        'go',
      ),
    );
    expect(status).toBe('failed');
    expect(error).toMatchObject({
      code: 'machine.invalid',
      message: expect.stringContaining(
        "'valley' as its state 'speaking' awaits replies, but its entry 'ask' gave nobody work",
      ),
    });
  });

  test('an arrow that holds leads on where nobody was asked', async () => {
    const always = { always: { guard: 'isQuiet', target: 'hearing' } };
    expect(
      (
        await settled(
          start(
            waiting(() => ({}), always),
            'go',
          ),
        )
      ).output,
    ).toBe('nobody spoke');
  });
});

describe('an action of a pattern of one’s own is told what it got wrong', () => {
  type Own = { heard: number; left: number };
  const counting = (change: (context: TeamContext<Own>) => object) =>
    pattern({
      name: 'counting',
      description: 'Ann is asked once.',
      own: { heard: 0, left: 3 },
      actions: {
        ask: (context) => beginRound(context, [{ member: 'ann', input: context.input }]),
        // JavaScript has no types.
        hear: (context) => change(context),
      },
      initial: 'speaking',
      states: {
        speaking: { description: 'She speaks.', entry: 'ask', awaits: 'hearing' },
        hearing: { description: 'She has spoken.', entry: 'hear', always: 'completed' },
      },
    })<string, string>({ name: 'valley', members });
  const errorOf = async (change: (context: TeamContext<Own>) => object) =>
    (await settled(start(counting(change), 'go'))).error;
  const end = answeredWith('done');

  test('an `own` that lost what it began with is refused: it is replaced, not merged', async () => {
    const error = await errorOf(() => ({ own: { heard: 1 }, end }));
    expect(error).toMatchObject({
      code: 'machine.invalid',
      message:
        "Cannot go on with 'valley' as its action 'hear' gives an `own` without left: it is replaced, not merged, so write own: { ...context.own, … }",
    });
    expect(await errorOf(({ own }) => ({ own: { ...own, more: 1 }, end }))).toBeUndefined();
  });

  test.each([
    [Number.NaN, 'NaN at own.left'],
    [new Date(0), 'a Date at own.left'],
    [() => 1, 'a function at own.left'],
  ])('an `own` that is not plain JSON is refused: %s', async (left, found) => {
    const error = await errorOf(({ own }) => ({ own: { ...own, left }, end }));
    expect(error?.code).toBe('machine.invalid');
    expect(error?.message).toContain(`'hear' gives an \`own\` that is not plain JSON: ${found}`);
  });

  test('an `end` that is not plain JSON is refused', async () => {
    // @ts-expect-error a Date is no JSON
    const error = await errorOf(() => ({ end: answeredWith({ at: [new Date(0)] }) }));
    expect(error?.code).toBe('machine.invalid');
    expect(error?.message).toContain(
      "'hear' gives an `end` that is not plain JSON: a Date at end.output.at[0]",
    );
  });

  test('an end that is reached without an `end` is a failure that says so', async () => {
    expect(await errorOf(() => ({}))).toMatchObject({
      code: 'machine.invalid',
      message: expect.stringContaining("the team 'valley' as it reached 'completed' without an `end`"),
    });
  });

  test('a promise in place of a change is refused', async () => {
    expect(await errorOf(async () => ({ end }))).toMatchObject({
      code: 'machine.invalid',
      message: expect.stringContaining("the team 'valley' as its action 'hear' returned a promise"),
    });
  });

  test('work for somebody who is not a member is refused, with the nearest name', async () => {
    const error = await errorOf((context) => beginRound(context, [{ member: 'bop', input: 'go' }]));
    expect(error).toMatchObject({
      code: 'machine.invalid',
      message:
        "Cannot begin a round of 'valley' as it gives work to 'bop', who is not a member: did you mean 'bob'?",
    });
  });
});

describe('a pattern of one’s own is held to what those of the house are', () => {
  const laws = patternLaws({
    machine: council.machine,
    make: (people, beside) => council<string, string>({ name: 'hall', ...beside, members: people }),
    says: () => 'fine',
    output: 'passed',
  });

  test.each(laws.map(({ name, check }) => ({ name, check })))('$name', async ({ check }) => {
    await expect(check()).resolves.toBeUndefined();
  });

  test('one that breaks a law is told which, and what was found', async () => {
    const [broken] = patternLaws({
      machine: council.machine,
      make: (people, beside) => council<string, string>({ name: 'hall', ...beside, members: people }),
      says: () => 'veto',
      output: 'passed',
    }).filter(({ name }) => name.startsWith('it finishes'));
    await expect(broken?.check()).rejects.toThrow(/it gives its output; found "vetoed", expected "passed"/);
  });
});
