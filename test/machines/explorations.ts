import type { Json } from '../../src/base/json/json.ts';
import type { AgentContext, AgentInput, Decided } from '../../src/machines/agent/agent-context.ts';
import type { agentMachine } from '../../src/machines/agent/agent-machine.ts';
import type { modelCallMachine } from '../../src/machines/model-call/model-call-machine.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import type { toolCallMachine } from '../../src/machines/tool-call/tool-call-machine.ts';
import type { Exploration, Happening } from '../../src/testing/explore.ts';
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

const kinds: Readonly<Record<string, Partial<AgentInput>>> = {
  'plain, two calls at a time': { toolConcurrency: 2 },
  'that sees, and is judged by its answers': { observes: true, critics: 'answer', toolConcurrency: 1 },
  'that survives a failure': { observes: true, recoveries: 1, toolConcurrency: 1 },
  'that is judged by its steps': { critics: 'step', toolConcurrency: 3, maxRejections: 1 },
};

/** Everything that can happen to an agent of each kind, within a limit of steps and without one. */
export const agentExplorations = Object.entries(kinds).map(([kind, changes]) => {
  const input = agentInput(changes);
  const bounded: Exploration<typeof agentMachine> = {
    input,
    rules: rules({ stop: [maxSteps(3)] }),
    events: agentEvents,
    tell: (context) => [context.step, tellAgent(context)],
  };
  const endless: Exploration<typeof agentMachine> = {
    input,
    rules: { stop: [] },
    events: agentEvents,
    tell: tellAgent,
  };
  return { kind, bounded, endless };
});

const MOST = 3;

/** Everything that can happen to a model call. */
export const modelExploration: Exploration<typeof modelCallMachine> = {
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
};

/** Everything that can happen to a tool call. */
export const toolExploration: Exploration<typeof toolCallMachine> = {
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
};
