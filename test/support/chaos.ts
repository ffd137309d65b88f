import fc from 'fast-check';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import type { Critique } from '../../src/contracts/agents/critique.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { Hook, RuntimeEvent } from '../../src/contracts/events/event.ts';
import { runtimeEventSchema } from '../../src/contracts/events/event.ts';
import { isJsonObject } from '../../src/base/json/json.ts';
import type { Json } from '../../src/base/json/json.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import type { StopReason } from '../../src/contracts/agents/stop-reason.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline, supervisorWorker } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { scripted } from './prompt-book.ts';
import { never, settled, start, typesOf } from './runs.ts';
import { transcriptProblems } from './transcripts.ts';

/** How something that a user wrote behaves. */
export type Manner = 'absent' | 'fine' | 'throws' | 'rejects' | 'never' | 'nonsense';

const MANNERS = ['absent', 'fine', 'throws', 'rejects', 'never', 'nonsense'] as const;

/** What one reply of a model is. */
const REPLIES = [
  'text',
  'empty',
  'calls',
  'unknown',
  'down',
  'asked-to-wait',
  'broken',
  'never',
  'slow',
  'streams-and-dies',
  'garbage',
  'refusal',
  'cut',
] as const;

/** What may be called. */
const TOOLS = [
  'fine',
  'throws',
  'rejects',
  'never',
  'slow',
  'alone',
  'approved',
  'busy',
  'child',
  'odd',
] as const;

/** A run that is given everything that can go wrong. */
export interface Chaos {
  readonly script: readonly {
    readonly reply: (typeof REPLIES)[number];
    readonly tools: readonly (typeof TOOLS)[number][];
  }[];
  readonly manners: Readonly<Record<keyof typeof PARTS, Manner>>;
  /** In ms by the virtual clock; null where nobody aborts. */
  readonly abortAt: number | null;
  readonly shape: 'agent' | 'pipeline' | 'team';
  readonly concurrency: number;
  readonly personSays: Manner;
  readonly isPausedAt: number | null;
}

/** The parts that a user may write. */
const PARTS = {
  observe: 0,
  decide: 0,
  reduce: 0,
  shouldStop: 0,
  stopRule: 0,
  critic: 0,
  hook: 0,
  subscriber: 0,
  inspector: 0,
  safety: 0,
} as const;

const manner = fc.oneof(
  { weight: 6, arbitrary: fc.constant('absent' as const) },
  fc.constantFrom(...MANNERS),
);

export const chaos: fc.Arbitrary<Chaos> = fc.record({
  script: fc.array(
    fc.record({
      reply: fc.oneof({ weight: 8, arbitrary: fc.constant('calls' as const) }, fc.constantFrom(...REPLIES)),
      tools: fc.array(fc.constantFrom(...TOOLS), { minLength: 1, maxLength: 5 }),
    }),
    { maxLength: 4 },
  ),
  manners: fc.record({
    observe: manner,
    decide: manner,
    reduce: manner,
    shouldStop: manner,
    stopRule: manner,
    critic: manner,
    hook: manner,
    subscriber: manner,
    inspector: manner,
    safety: manner,
  }),
  abortAt: fc.option(
    fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 700_000 })),
  ),
  shape: fc.constantFrom('agent', 'agent', 'pipeline', 'team'),
  concurrency: fc.constantFrom(1, 2, Infinity),
  personSays: fc.constantFrom(...MANNERS),
  isPausedAt: fc.option(fc.integer({ min: 0, max: 3_000 }), { freq: 5 }),
});

/** Does something in a certain manner; what is said only in JavaScript is said with a cast, once, here. */
const inManner = <T>(how: Manner, fine: () => T): T => {
  switch (how) {
    case 'throws':
      throw new Error('it threw');
    case 'rejects':
      return Promise.reject(new Error('it rejected')) as T;
    case 'never':
      return never<unknown>() as T;
    case 'nonsense':
      return Symbol('nonsense') as T;
    default:
      return fine();
  }
};

/** A part of a user's, or nothing where it is absent. */
const part = <F>(how: Manner, make: () => F): F | undefined => (how === 'absent' ? undefined : make());

const slowly = <T>(clock: VirtualClock, ms: number, value: T): Promise<T> =>
  new Promise((resolve) => {
    clock.setTimeout(() => {
      resolve(value);
    }, ms);
  });

const toolsFor = (clock: VirtualClock) => {
  const input = z.object({});
  const description = 'A tool.';
  const child = agent({
    name: 'child',
    model: scriptedModel([]),
    decide: ({ step }) => (step === 0 ? { kind: 'wait', forMs: 10 } : { kind: 'answer', answer: 'x' }),
  });
  return [
    tool({ name: 'fine', description, input, execute: () => 'fine' }),
    tool({ name: 'throws', description, input, execute: () => inManner('throws', () => '') }),
    tool({ name: 'rejects', description, input, execute: () => Promise.reject(new Error('no')) }),
    tool({ name: 'never', description, input, timeoutMs: 3_000, execute: () => never<string>() }),
    tool({ name: 'slow', description, input, execute: () => slowly(clock, 700, 'slow') }),
    tool({ name: 'alone', description, input, safety: 'write', execute: () => slowly(clock, 300, 'alone') }),
    tool({ name: 'approved', description, input, approval: true, execute: () => 'approved' }),
    tool({
      name: 'busy',
      description,
      input,
      execute: () => {
        throw Object.assign(new Error('busy'), { code: 'ECONNRESET' });
      },
    }),
    tool({
      name: 'child',
      description,
      input,
      execute: async (_, context) => (await context.run(child, 'x')).output ?? '',
    }),
    tool({
      name: 'odd',
      description,
      input,
      execute: () => ({ when: new Date(0), self: Symbol('x'), big: 10n }),
    }),
  ];
};

const down = (retryAfterMs?: number): TroupeError =>
  new TroupeError('model.unavailable', 'Cannot answer as it is down: 503', {
    retryable: 'yes',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

const replyOf = ({ reply, tools }: Chaos['script'][number], clock: VirtualClock): ScriptedReply => {
  const wanted = calls(...tools.map((name) => ({ name, input: {}, id: 'same' })));
  switch (reply) {
    case 'text':
      return 'an answer';
    case 'empty':
      return '';
    case 'calls':
      return wanted;
    case 'unknown':
      return calls({ name: 'nowhere', input: {} });
    case 'down':
      return down();
    case 'asked-to-wait':
      return down(20_000);
    case 'broken':
      return new Error('broken');
    case 'never':
      return () => never<string>();
    case 'slow':
      return () => slowly<ScriptedReply>(clock, 2_000, wanted);
    case 'streams-and-dies':
      return (_, call) => {
        call.delta({ type: 'text', text: 'half an ans' });
        throw down();
      };
    case 'garbage':
      return { calls: undefined as never, text: undefined as never };
    case 'refusal':
      return { refusal: 'no' };
    case 'cut':
      return { ...wanted, finish: 'length' };
  }
};

/** What models were asked. */
type Asked = (readonly Turn[])[];

const listening = (model: Model, asked: Asked): Model => ({
  ...model,
  answer: (request, call) => {
    asked.push(request.messages.toArray());
    return model.answer(request, call);
  },
});

const worker = (name: string, plan: Chaos, clock: VirtualClock, asked: Asked): Agent => {
  const { manners } = plan;
  const model = listening(scripted(plan.script.map((reply) => replyOf(reply, clock))), asked);
  return agent({
    name,
    model,
    tools: toolsFor(clock),
    state: { steps: 0 },
    observe: part(manners.observe, () => () => inManner<Json>(manners.observe, () => 'sunny')),
    decide: part(manners.decide, () => () => inManner(manners.decide, () => undefined)),
    reduce: part(
      manners.reduce,
      () =>
        ({ state }: { state: { steps: number } }) =>
          inManner(manners.reduce, () => ({ steps: state.steps + 1 })),
    ),
    stop: {
      shouldStop: part(
        manners.shouldStop,
        () => () =>
          inManner<undefined>(
            manners.shouldStop === 'nonsense' ? 'throws' : manners.shouldStop,
            () => undefined,
          ),
      ),
      rules: [
        maxSteps(6),
        ...(manners.stopRule === 'absent'
          ? []
          : [
              {
                name: 'odd',
                check: () =>
                  inManner<StopReason | undefined>(
                    manners.stopRule === 'nonsense' ? 'throws' : manners.stopRule,
                    () => undefined,
                  ),
              },
            ]),
      ],
    },
    critics:
      manners.critic === 'absent'
        ? []
        : [
            {
              name: 'critic',
              critique: () => inManner<Critique>(manners.critic, () => ({ verdict: 'revise', note: 'more' })),
            },
          ],
  });
};

const shaped = (plan: Chaos, clock: VirtualClock, asked: Asked): Agent<string, unknown> => {
  if (plan.shape === 'agent') return worker('a', plan, clock, asked);
  if (plan.shape === 'pipeline')
    return pipeline({
      name: 'p',
      stages: [worker('a', plan, clock, asked), worker('b', plan, clock, asked)],
    });
  const assignments = ['a', 'b', 'a'].map((name) => ({ worker: name, task: 'x' }));
  return supervisorWorker({
    name: 't',
    result: 'replies',
    concurrency: 2,
    supervisor: { model: scripted([JSON.stringify({ assignments })]) },
    workers: { a: worker('a', plan, clock, asked), b: worker('b', plan, clock, asked) },
  });
};

/** A run of everything that can go wrong: who runs, how, and what is done to it meanwhile. */
export interface StagedChaos {
  readonly agent: Agent<string, unknown>;
  readonly options: RunOptions;
  readonly play: (handle: RunHandle<unknown, unknown>) => void;
}

export const stageChaos = (
  plan: Chaos,
  clock: VirtualClock,
  { asked = [], problems = [] }: { readonly asked?: Asked; readonly problems?: string[] } = {},
): StagedChaos => {
  const { manners } = plan;
  const hooks: Hook[] =
    manners.hook === 'absent'
      ? []
      : [{ name: 'hook', handle: () => inManner<void>(manners.hook, () => undefined) }];
  const options: RunOptions = {
    clock,
    hooks,
    limits: { concurrency: plan.concurrency },
    person: part(plan.personSays, () => ({
      approve: () => inManner<boolean>(plan.personSays, () => true),
    })),
    safety: part(manners.safety, () => () => inManner(manners.safety, () => ({ verdict: 'allow' }) as const)),
    inspect: part(manners.inspector, () => (event) => {
      if (event.type === '@xstate.snapshot' && 'context' in event.snapshot)
        problems.push(...contextProblems(event.snapshot.context));
      return inManner<void>(manners.inspector, () => undefined);
    }),
  };
  const play = (handle: RunHandle<unknown, unknown>): void => {
    if (plan.isPausedAt !== null)
      clock.setTimeout(() => {
        handle.pause();
        clock.setTimeout(() => {
          handle.resume();
        }, 1_000);
      }, plan.isPausedAt);
    if (plan.abortAt === 0) handle.abort('chaos');
    else if (plan.abortAt !== null)
      clock.setTimeout(() => {
        handle.abort('chaos');
      }, plan.abortAt);
  };
  return { agent: shaped(plan, clock, asked), options, play };
};

/** What came of a run in chaos, and everything about it that should not be. */
export const endure = async (
  plan: Chaos,
): Promise<{ result: RunResult<unknown, unknown>; problems: readonly string[] }> => {
  const clock = virtualClock(1_000);
  const asked: Asked = [];
  const problems: string[] = [];
  const { manners } = plan;
  const { agent: subject, options, play } = stageChaos(plan, clock, { asked, problems });
  const handle = start(subject, 'go', options);
  const seen: RuntimeEvent[] = [];
  handle.events$.subscribe((event) => {
    if (event.type !== 'model.delta') seen.push(event);
    return inManner<void>(manners.subscriber, () => undefined);
  });
  play(handle);
  const outcome = await patiently(handle, clock);
  // What comes late must not come at all.
  const length = outcome.events.length;
  await clock.advance(700_000);
  if (outcome.events.length !== length || seen.length !== length)
    problems.push(`events after the end: ${length}, then ${outcome.events.length}; seen ${seen.length}`);
  problems.push(...runProblems(outcome), ...asked.flatMap((messages) => transcriptProblems(messages)));
  return { result: outcome, problems };
};

/** What a run comes to, if need be after an abort. */
export const patiently = async (
  handle: RunHandle<unknown, unknown>,
  clock: VirtualClock,
): Promise<RunResult<unknown, unknown>> => {
  const outcome = await Promise.race([
    settled(handle),
    patience(clock, () => {
      handle.abort('the test lost its patience');
    }),
  ]);
  if (outcome === undefined) throw new Error('it did not end although it was aborted');
  return outcome;
};

/** Two virtual hours, then an abort, then a minute for it to be heard. */
const patience = async (clock: VirtualClock, abort: () => void): Promise<undefined> => {
  await clock.advance(7_200_000);
  abort();
  await clock.advance(60_000);
};

const contextProblems = (context: unknown): readonly string[] => {
  const problems: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (value === undefined || value === null || ['string', 'boolean'].includes(typeof value)) return;
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) problems.push(`${path} is ${value}`);
    } else if (Array.isArray(value))
      value.forEach((item, index) => {
        visit(item, `${path}[${index}]`);
      });
    else if (isJsonObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value)))
      for (const [key, item] of Object.entries(value)) visit(item, `${path}.${key}`);
    else problems.push(`${path} is no JSON: ${typeof value}`);
  };
  visit(context, 'context');
  return problems;
};

/** What should not be in the log of any run. */
export const runProblems = ({ events, effects, status }: RunResult<unknown, unknown>): readonly string[] => {
  const problems: string[] = [];
  const types = typesOf(events);
  if (types[0] !== 'run.started') problems.push(`it begins with ${String(types[0])}`);
  if (types.at(-1) !== 'run.ended') problems.push(`it ends with ${String(types.at(-1))}`);
  for (const type of ['run.started', 'run.ended'])
    if (types.filter((each) => each === type).length !== 1) problems.push(`not one ${type}`);
  const last = events.at(-1);
  if (last?.type === 'run.ended' && last.status !== status) problems.push('the result settles otherwise');
  let at = 0;
  for (const [index, event] of events.entries()) {
    if (event.seq !== index) problems.push(`seq ${event.seq} at ${index}`);
    if (event.at < at) problems.push(`time falls at ${index}`);
    at = event.at;
    const parsed = runtimeEventSchema.safeParse(event);
    if (!parsed.success) problems.push(`${event.type} is malformed: ${parsed.error.message}`);
  }
  const keys = effects.map(({ key }) => key);
  if (new Set(keys).size !== keys.length) problems.push('a key was used twice');
  for (const { key, state } of effects) if (state === 'asked') problems.push(`${key} was never settled`);
  return [...problems, ...pairProblems(events)];
};

/** Whatever begins ends, once, and nothing happens to it after that. */
const pairProblems = (events: readonly RuntimeEvent[]): readonly string[] => {
  const problems: string[] = [];
  const open = new Set<string>();
  const members = new Set<string>();
  for (const event of events) {
    const at = `${event.seq} ${event.type} ${event.path}`;
    if (event.type === 'tool.started') open.add(`${event.path} ${event.callId}`);
    if (event.type === 'tool.finished' && !open.delete(`${event.path} ${event.callId}`))
      problems.push(`${at}: it did not start`);
    if (event.type === 'tool.progressed' && !open.has(`${event.path} ${event.callId}`))
      problems.push(`${at}: it is over`);
    if (event.type === 'member.engaged') members.add(event.path);
    if (event.type === 'member.ended' && !members.delete(event.path))
      problems.push(`${at}: it was not there`);
    if (event.type === 'member.ended' && [...open].some((tool) => tool.startsWith(`${event.path} `)))
      problems.push(`${at}: its tools are open`);
  }
  for (const each of open) problems.push(`${each} never finished`);
  for (const each of members) problems.push(`${each} never ended`);
  return problems;
};
