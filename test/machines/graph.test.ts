import { describe, expect, test } from 'vitest';
import { createMachine } from 'xstate';
import type { Json } from '../../src/contracts/json.ts';
import type { AgentContext, AgentInput, Decided } from '../../src/machines/agent-context.ts';
import { agentMachine } from '../../src/machines/agent-machine.ts';
import { modelCallMachine } from '../../src/machines/model-call-machine.ts';
import { toolCallMachine } from '../../src/machines/tool-call-machine.ts';
import { maxSteps } from '../../src/machines/stop-rules.ts';
import type { Graph, GraphMove, Happening } from '../../src/testing/explore.ts';
import { deadEnds, explore, loops } from '../../src/testing/explore.ts';
import type { Position } from '../../src/testing/moves.ts';
import {
  accept,
  again,
  agentInput,
  calling,
  deciding,
  failure,
  halt,
  judging,
  prepared,
  problem,
  refusing,
  resulting,
  revise,
  rules,
  saying,
  success,
  trouble,
} from './agent-walks.ts';
import { modelCallInput, toolCallInput } from './call-walks.ts';

type AgentHappening = Happening<typeof agentMachine>;

const complete = success('ok', { control: { type: 'complete', answer: '42' } });

const choices: Readonly<Record<string, Decided>> = {
  answer: saying('42'),
  'one call': calling('look'),
  'no call': calling(),
  'three calls': calling('look', 'write!', 'look'),
  sleep: deciding({ kind: 'wait' }),
  nap: deciding({ kind: 'wait', forMs: 10 }),
  handoff: deciding({ kind: 'handoff', to: 'bob' }),
  'bad turn': again(problem('no JSON')),
  'paused turn': again(),
  refusal: refusing,
};

const outcomes = {
  success: resulting(),
  complete: resulting(complete),
  failure: resulting(failure()),
  'unknown tool': resulting(failure('unknown')),
};

/** All that can happen to an agent: every kind of answer to whatever it asks, one message, and the end from outside. */
const agentEvents = ({
  context,
  asks,
  engaged,
}: Position<typeof agentMachine>): readonly AgentHappening[] => {
  const at = context.tally.now;
  const open = [...asks, ...engaged];
  const answers = open.flatMap(({ port, index }): readonly AgentHappening[] => {
    // One troubled call a step is enough: how many there are makes no difference to the chart.
    const isTroubled = context.cycle.trouble !== null;
    const troubles = isTroubled ? [] : [{ name: `${port} ${index}: trouble`, output: trouble({ index }) }];
    switch (port) {
      case 'prepare':
        return [
          { name: 'prepared', event: { type: 'answered.prepare', at, output: prepared() } },
          {
            name: 'problems',
            event: { type: 'answered.prepare', at, output: prepared({ problems: [problem('no model')] }) },
          },
        ];
      case 'observe':
        return [
          { name: 'observed', event: { type: 'answered.observe', at, output: { observation: 'rain' } } },
        ];
      case 'decide':
        return [...Object.entries(choices).map(([name, output]) => ({ name, output })), ...troubles].map(
          ({ name, output }) => ({ name, event: { type: 'answered.decide', at, output } }),
        );
      case 'act':
        return [
          ...Object.entries(outcomes).map(([name, output]) => ({ name: `${index}: ${name}`, output })),
          ...troubles,
        ].map(({ name, output }) => ({ name, event: { type: 'answered.act', at, index, output } }));
      case 'critique':
        return [accept, revise, halt].map((verdict) => ({
          name: verdict.verdict,
          event: { type: 'answered.critique', at, output: judging(verdict) },
        }));
      case 'recover':
        return [
          { decision: 'retry' as const },
          { decision: 'skip' as const, note: 'Go on.' },
          { decision: 'giveUp' as const },
          { decision: 'replace' as const, observation: 'fog', text: 'so', decided: calling('look') },
        ].map((output) => ({
          name: `recover ${index}: ${output.decision}`,
          event: { type: 'answered.recover', at, index, output },
        }));
      case 'wake':
        return [{ name: 'wake', event: { type: 'answered.wake', at } }];
      default:
        return [];
    }
  });
  const message = { type: 'message', at, message: { from: 'bob', text: 'hi' } } as const;
  const error = problem('boom');
  const failures = open.flatMap(({ port, index }): readonly AgentHappening[] =>
    context.run.recoveries === undefined || !['observe', 'decide', 'act'].includes(port)
      ? []
      : [
          {
            name: `fail ${port} ${index}`,
            event: { type: `failed.${port}`, at, index, error: { ...error, code: 'tool.failed' } },
          },
        ],
  );
  return [
    ...answers,
    ...failures,
    ...(context.inbox.length === 0 ? [{ name: 'message', event: message, isFromOutside: true }] : []),
    { name: 'abort', event: { type: 'abort', at, reason: 'enough' }, isFromOutside: true },
    { name: 'break', event: { type: 'failed.act', at, error }, isFromOutside: true },
  ];
};

/** Everything that any guard of the chart reads, and all that is counted. */
const tellAgent = ({ step, cycle, inbox, review, end }: AgentContext): Json => ({
  end: end?.stopReason.kind ?? null,
  decision: cycle.decision?.kind ?? null,
  forMs: cycle.decision?.kind === 'wait' ? (cycle.decision.forMs ?? null) : null,
  calls: cycle.plan?.calls.length ?? null,
  started: cycle.plan?.started ?? null,
  results:
    cycle.plan?.results.map((result) =>
      result === null
        ? 0
        : result.ok
          ? result.control === undefined
            ? 1
            : 2
          : result.kind === 'unknown'
            ? 3
            : 4,
    ) ?? null,
  trouble: cycle.trouble?.index ?? null,
  mail: inbox.length,
  candidate: review.candidate !== null,
  rejections: review.rejections,
  unknownTools: review.unknownTools,
  badTurns: review.badTurns,
  recovery: recoveryFacts(review, step),
});

/** Of failures, what still counts: a step that went well in between begins anew. */
const recoveryFacts = ({ recovery }: AgentContext['review'], step: number): Json =>
  recovery === undefined || (recovery.step !== step && !(recovery.isSkipped && recovery.step === step - 1))
    ? null
    : {
        isNow: recovery.step === step,
        streak: recovery.streak,
        pending: recovery.pending.map(({ port, index }) => `${port} ${index}`),
      };

const size = ({ places, moves }: Graph): string => `${places.length} places, ${moves.length} moves`;

/** A move that nobody has to make from outside; a sleeper without an alarm waits for a message by its own choice. */
const counts = ({ isFromOutside, from }: GraphMove): boolean =>
  !isFromOutside || from.name.startsWith('"waiting"');

const kinds: Readonly<Record<string, Partial<AgentInput>>> = {
  'plain, two calls at a time': { toolConcurrency: 2 },
  'that sees, and is judged by its answers': { observes: true, critics: 'answer', toolConcurrency: 1 },
  'that survives a failure': { observes: true, recoveries: 1, toolConcurrency: 1 },
  'that is judged by its steps': { critics: 'step', toolConcurrency: 3, maxRejections: 1 },
};

const agents = Object.entries(kinds).map(([kind, changes]) => {
  const input = agentInput(changes);
  const bounded = explore(agentMachine, {
    input,
    rules: rules({ stop: [maxSteps(3)] }),
    events: agentEvents,
    tell: (context) => [context.step, tellAgent(context)],
  });
  const endless = explore(agentMachine, { input, rules: { stop: [] }, events: agentEvents, tell: tellAgent });
  return { kind, bounded, endless, sizes: `${size(bounded)}; unbounded: ${size(endless)}` };
});

describe.each(agents)('[M1] an agent $kind', ({ bounded, endless, sizes }) => {
  test(`of ${sizes} has no dead end but its final states, unless it sleeps without an alarm`, () => {
    expect(deadEnds(bounded, counts)).toEqual([]);
    expect(deadEnds(endless, counts)).toEqual([]);
    const sleepers = deadEnds(bounded, ({ isFromOutside }) => !isFromOutside);
    expect(sleepers.length).toBeGreaterThan(0);
  });

  test('[I3] ends in each of its four ways', () => {
    const ends = bounded.places.filter(({ isFinal }) => isFinal).map(({ name }) => name.split(' ')[0]);
    expect(new Set(ends)).toEqual(new Set(['"aborted"', '"completed"', '"failed"', '"stopped"']));
  });

  test('[I4, D31] goes round only through CHECK_STOP, where the step limit holds', () => {
    expect(loops(endless, ({ states }) => !states.includes('agent.running.CHECK_STOP'))).toEqual([]);
    expect(loops(endless).length).toBeGreaterThan(0);
  });

  test('[D31] with a limit of steps does not go round at all, whatever messages come', () => {
    expect(loops(bounded)).toEqual([]);
  });
});

const MOST = 3;

const model = explore(modelCallMachine, {
  input: modelCallInput({}, 2),
  events: ({ context, asks }) => {
    const at = context.now;
    const error = problem('boom');
    const outside: readonly Happening<typeof modelCallMachine>[] = [
      { name: 'abort', event: { type: 'abort', at, reason: 'enough' }, isFromOutside: true },
      { name: 'break', event: { type: 'failed.model', at, error }, isFromOutside: true },
    ];
    const answers = asks.flatMap(({ port }): readonly Happening<typeof modelCallMachine>[] => {
      if (port === 'pause') return [{ name: 'pause', event: { type: 'answered.pause', at } }];
      // Attempts are bounded by the performer: past its last one there is no wait.
      const outputs = [saying('42'), refusing, again(), trouble({ waitMs: null })];
      const all = context.attempt < MOST ? [...outputs, trouble()] : outputs;
      return all.map((output) => ({ name: output.kind, event: { type: 'answered.model', at, output } }));
    });
    return [...answers, ...outside];
  },
  tell: ({ attempt, model: at, trouble: { waitMs } }) => [at, attempt, waitMs],
});

const tool = explore(toolCallMachine, {
  input: toolCallInput({ needsApproval: true }),
  events: ({ context, asks }) => {
    const at = context.now;
    const error = problem('boom');
    const outside: readonly Happening<typeof toolCallMachine>[] = [
      { name: 'abort', event: { type: 'abort', at, reason: 'enough' }, isFromOutside: true },
      { name: 'break', event: { type: 'failed.tool', at, error }, isFromOutside: true },
    ];
    const answers = asks.flatMap(({ port }): readonly Happening<typeof toolCallMachine>[] => {
      if (port === 'pause') return [{ name: 'pause', event: { type: 'answered.pause', at } }];
      if (port === 'approve')
        return [true, false].map((isApproved) => ({
          name: `approved: ${isApproved}`,
          event: { type: 'answered.approve', at, output: { isApproved } },
        }));
      const outputs = [
        resulting(),
        resulting(failure()),
        resulting(failure('timeout')),
        resulting(failure('cancelled')),
        resulting(failure('system', 'tool.ambiguous')),
        trouble({ waitMs: null }),
        trouble({ waitMs: null, needsApproval: true }),
      ];
      const all = context.attempt < MOST ? [...outputs, trouble()] : outputs;
      return all.map((output) => ({ name: output.kind, event: { type: 'answered.tool', at, output } }));
    });
    return [...answers, ...outside];
  },
  tell: ({ attempt, isApproved, trouble: { waitMs } }) => [attempt, isApproved, waitMs],
});

describe.each([
  { name: 'a model call', graph: model, sizes: size(model), ends: 4 },
  { name: 'a tool call', graph: tool, sizes: size(tool), ends: 6 },
])('[M3] $name', ({ graph, ends, sizes }) => {
  test(`of ${sizes} has no dead end but its final states`, () => {
    expect(deadEnds(graph, counts)).toEqual([]);
    const names = graph.places.filter(({ isFinal }) => isFinal).map((place) => place.name.split(' ')[0]);
    expect(new Set(names).size).toBe(ends);
  });

  test('never comes back to where it was: with every round it is another attempt, model or approval', () => {
    expect(loops(graph)).toEqual([]);
  });
});

describe('explore', () => {
  const pit = createMachine({
    id: 'pit',
    initial: 'a',
    states: {
      a: { on: { go: 'b', end: 'c' } },
      b: { on: { back: 'a', fall: 'd' } },
      c: { type: 'final' },
      d: {},
    },
  });
  const graph = explore(pit, {
    input: undefined,
    events: () => ['go', 'back', 'end', 'fall'].map((type) => ({ name: type, event: { type } })),
    tell: () => null,
  });

  test('finds the dead end', () => {
    expect(deadEnds(graph)).toEqual(['"d" null']);
  });

  test('finds what cannot end without a certain move', () => {
    expect(deadEnds(graph, ({ event }) => event !== 'end')).toEqual(['"a" null', '"b" null', '"d" null']);
  });

  test('finds the loops, those of a place with itself included', () => {
    expect(loops(graph, ({ from, to }) => from !== to)).toEqual([['"a" null', '"b" null', '"a" null']]);
    expect(loops(graph)).toContainEqual(['"d" null', '"d" null']);
  });

  test('says when there is too much', () => {
    expect(() =>
      explore(pit, {
        input: undefined,
        events: () => [{ name: 'go', event: { type: 'go' } }],
        tell: () => null,
        limit: 1,
      }),
    ).toThrow("Cannot explore 'pit' as it has too many places: 1");
  });
});
