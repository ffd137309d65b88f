import type { Agent } from '../contracts/agents/agent.ts';
import type { ErrorData } from '../contracts/errors/error-data.ts';
import { errorData } from '../contracts/errors/error.ts';
import type { EventBody } from '../contracts/events/event.ts';
import type { Json } from '../base/json/json.ts';
import { isJsonObject } from '../base/json/json.ts';
import {
  aFunction,
  aText,
  anything,
  formOr,
  isObject,
  listOf,
  oneOf,
  optional,
  optionsSchema,
  wholeNumber,
} from '../base/schemas/option-schemas.ts';
import type { Turn } from '../contracts/conversations/transcript.ts';
import { failedWith } from '../coordination/round/ends.ts';
import { fieldsOf, lastRounds } from '../coordination/round/hand-over.ts';
import type { Reply } from '../coordination/round/round.ts';
import { textOf } from '../coordination/round/said-json.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import type { TeamContext } from '../coordination/round/team-context.ts';
import { endOf, repliesOf, spentEnd } from '../coordination/round/team-context.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import type { TeamSetup } from '../runtime/define/team.ts';
import { pattern } from './setup/pattern.ts';
import { setupShape } from './setup/setup-schema.ts';
import { rulesInForce } from '../machines/in-force.ts';

/** The members that hand a task on to each other. */
export interface HandoffsSetup<Input, Output> extends TeamSetup {
  /** By the names under which they hand on to each other: by the tool `handoffTool()`, or by deciding `handoff(name)`. */
  readonly members: Readonly<Record<string, Agent<Input, Output>>>;
  /** The member that has it first. Default: the first of them. */
  readonly first?: string | undefined;
  /**
   * The receiver's share of the conversation: the `task` alone (default), a `summary` of the giver's conversation too (its last 3 rounds in a few lines, or as
   * many as `{ rounds }` says), or the whole `conversation`. As for the tool `delegate`.
   */
  readonly sees?: HandoffsOptions['sees'] | { readonly rounds?: number | undefined } | undefined;
  /** Fields of the giver's state that come with the task. Default: none. */
  readonly fields?: readonly string[] | undefined;
  /** Pure: what is handed over of those fields, for this receiver. Default: the fields as they are. */
  readonly adapt?: ((fields: Json, way: { readonly from: string; readonly to: string }) => Json) | undefined;
  /** Default 10. */
  readonly maxHandoffs?: number | undefined;
  /** The number of times that one may hand the task to the same other one. Default 0: no member has it twice. */
  readonly revisits?: number | undefined;
}

/** The pure function that makes what is handed over of the fields of the giver's state. */
const ADAPTER = 'adapt';

/** The members, and the rules by which a task goes from hand to hand. */
export type HandoffsOptions = {
  readonly first: string;
  readonly members: readonly string[];
  readonly sees: 'task' | 'summary' | 'conversation';
  /** The number of rounds in a summary. */
  readonly rounds: number;
  readonly fields: readonly string[];
  readonly maxHandoffs: number;
  /** The number of times that one may hand to the same other; 0: no member has it twice. */
  readonly revisits: number;
};

/** The way of a task. */
export type HandoffsState = {
  /** The member that has it, or had it last. */
  readonly holder: string;
  /** In order; those that were refused are none. */
  readonly handoffs: readonly {
    readonly from: string;
    readonly to: string;
    readonly message: string | null;
  }[];
};

type Own = HandoffsState & {
  /** The handoff that was refused to the holder, and why; null: none was. */
  readonly refused: { readonly to: string; readonly reason: string } | null;
  /** The number of times that it was refused in a row. */
  readonly refusals: number;
};
type Context = TeamContext<Own, HandoffsOptions>;

/** The number of times that a holder hears that it may not hand on to somebody. */
const MAX_REFUSALS = 1;

/** Hands the task to the next holder, with what that one is to know of the work so far. */
const receive = (context: Context): Partial<Context> => {
  const { own, options, input } = context;
  const { holder, refused } = own;
  const [giver] = repliesOf(context);
  const handoff = own.handoffs.at(-1);
  const keepsConversation = true;
  if (giver === undefined) return beginRound(context, [{ member: holder, input, keepsConversation }]);
  const conversation = giver.left?.conversation ?? [];
  if (refused !== null) {
    const note = `You cannot hand over to '${refused.to}' as ${refused.reason}. Go on yourself, or hand over to somebody else.`;
    const telling: readonly EventBody[] = [{ type: 'handoff.refused', from: holder, ...refused }];
    const task = { member: holder, input: saying(context, conversation, note, {}), keepsConversation };
    return beginRound(context, [{ ...task, beginsWith: conversation }], { telling });
  }
  if (handoff === undefined) return {};
  const { from, to, message } = handoff;
  try {
    const carried = fieldsFor(context, giver, from, to);
    const note = `(Handed over by ${from}${message === null ? '' : `: ${message}`})`;
    const beginsWith = beginningFor(options, conversation, from);
    const isWhole = options.sees === 'conversation' ? conversation : [];
    const telling: readonly EventBody[] = [
      {
        type: 'task.handed-over',
        from,
        to,
        sees: options.sees,
        ...(message === null ? {} : { message }),
      },
    ];
    const task = { member: holder, input: saying(context, isWhole, note, carried), keepsConversation };
    return beginRound(context, [{ ...task, beginsWith }], { telling });
  } catch (thrown) {
    const said = `Cannot hand over from '${from}' to '${to}' as the adapter threw`;
    return { end: failedWith(errorData(thrown, 'agent.threw', { message: said })) };
  }
};

/** The conversation that the receiver goes on from; what it is not given it does not see. */
const beginningFor = (
  { sees, rounds }: HandoffsOptions,
  conversation: readonly Turn[],
  giver: string,
): readonly Turn[] => {
  if (sees === 'conversation') return conversation;
  if (sees === 'task' || conversation.length === 0) return [];
  const text = `What was said so far, the end of it:\n${lastRounds(conversation, giver, rounds)}`;
  return [{ role: 'user', from: 'runtime', text }];
};

/** The receiver's input: the task, unless it stands in the conversation, who hands it over, and what comes with it. */
const saying = ({ input }: Context, conversation: readonly Turn[], note: string, carried: Json): Json => {
  const isNothing = isJsonObject(carried) && Object.keys(carried).length === 0;
  // A member that takes no text gets the task itself.
  if (typeof input !== 'string')
    return isJsonObject(input) && isJsonObject(carried) ? { ...input, ...carried } : input;
  const task = conversation.length > 0 ? [] : [input];
  return [...task, note, ...(isNothing ? [] : [`It comes with: ${JSON.stringify(carried)}`])].join('\n\n');
};

const fieldsFor = ({ options }: Context, giver: Reply, from: string, to: string): Json => {
  const fields = fieldsOf(giver.left?.state ?? null, options.fields);
  const adapt = rulesInForce().functions?.[ADAPTER];
  return adapt === undefined ? fields : adapt(fields, from, to);
};

/** An answer is the team's; a handoff goes on, is refused, or is one too many. */
const judge = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  const spent = spentEnd(context);
  const end = endOf(reply);
  if (spent !== undefined) return { end: { ...end, ...spent } };
  const { stopReason } = reply;
  if (stopReason.kind !== 'handedOff') return { end };
  const { to, message = null } = stopReason;
  const from = own.holder;
  const reason = refusalOf(own, options, to);
  if (reason !== undefined && (own.refusals >= MAX_REFUSALS || isPingPong(own, options, to))) {
    const said = `Cannot hand over from '${from}' to '${to}' as ${reason}`;
    const error: ErrorData = { code: 'handoff.refused', message: said, retryable: 'no' };
    return { end: { ...end, ...failedWith(error) } };
  }
  if (reason !== undefined) return { own: { ...own, refused: { to, reason }, refusals: own.refusals + 1 } };
  if (own.handoffs.length >= options.maxHandoffs) {
    const detail = `'${from}' would have handed over to '${to}'`;
    const cap = { kind: 'softCap', cap: 'handoffs', limit: options.maxHandoffs, detail } as const;
    return { end: { ...end, status: 'stopped', stopReason: cap } };
  }
  const handoffs = [...own.handoffs, { from, to, message }];
  return { own: { holder: to, handoffs, refused: null, refusals: 0 } };
};

const refusalOf = (own: Own, options: HandoffsOptions, to: string): string | undefined => {
  const { members, first, revisits } = options;
  if (to === own.holder) return 'that is the one who has it';
  if (!members.includes(to)) return `there is nobody of that name: there are ${members.join(', ')}`;
  const hadIt = to === first || own.handoffs.some((handoff) => handoff.to === to);
  if (hadIt && revisits === 0) return 'it has had the task before';
  if (!isPingPong(own, options, to)) return undefined;
  return `'${own.holder}' has handed this task to '${to}' ${revisits} times already`;
};

/** The same two, the same task, the same way, once too often. */
const isPingPong = ({ holder, handoffs }: Own, { revisits }: HandoffsOptions, to: string): boolean =>
  revisits > 0 &&
  handoffs.filter((handoff) => handoff.from === holder && handoff.to === to).length >= revisits;

const DEFAULT_ROUNDS = 3;

const DEFAULTS: HandoffsOptions = {
  first: '',
  members: [],
  sees: 'task',
  rounds: DEFAULT_ROUNDS,
  fields: [],
  maxHandoffs: 0,
  revisits: 0,
};

/**
 * A task goes from hand to hand: the member that has it answers, or hands it on to another of the members.
 *
 * A handoff to an unknown member, to itself, or to one that had the task is refused; the giver continues its own conversation and reads
 * the reason, once. After that, and for two that hand it to and fro more than `revisits` allows, the run fails with `handoff.refused`. Past
 * `maxHandoffs` it ends `stopped { kind: 'softCap', cap: 'handoffs' }`. A team among the members has no conversation
 * to hand on: its receiver sees the task.
 *
 * Not where one agent should decide who does what (`supervisorWorker`, `orchestrator`), or who does it once and for all (`router`).
 *
 * @example
 * const desk = handoffs({ name: 'desk', members: { reception, billing, tech }, sees: 'summary' });
 * const { output } = await desk.run('I was charged twice.');
 *
 * @throws {TroupeError} `team.invalid` without members, for a first one that there is not, or a number that bounds nothing.
 */
export const handoffs = pattern({
  name: 'handoffs',
  description: 'A task goes from hand to hand, until somebody answers.',
  setup: () =>
    setupShape<HandoffsSetup<unknown, unknown>>({
      members: anything(),
      first: anything(),
      sees: formOr(
        isObject,
        optionsSchema<{ readonly rounds: number }>({ rounds: optional(wholeNumber(1)) }),
        oneOf(['task', 'summary', 'conversation']),
      ),
      fields: listOf(aText()),
      adapt: aFunction(),
      maxHandoffs: wholeNumber(0),
      revisits: wholeNumber(0),
    }),
  defaults: DEFAULTS,
  own: ({ first }) => ({ holder: first, handoffs: [], refused: null, refusals: 0 }),
  // Who it is handed on to is the business of this chart, not of the round.
  handsOnTo: () => [],
  actions: { receive, judge },
  initial: 'receiving',
  states: {
    receiving: {
      description: 'The next holder gets the task, and what it is to know of the work so far.',
      entry: 'receive',
      always: ['failed', 'holding'],
    },
    holding: {
      description: 'One of them has the task.',

      awaits: 'passing',
    },
    passing: {
      description: 'An answer, or a handoff to somebody who may have it?',
      entry: 'judge',
      always: ['completed', 'failed', 'aborted', 'stopped', 'receiving'],
    },
  },
  team:
    (open) =>
    <Input = string, Output = string>(
      setup: HandoffsSetup<Input, Output>,
    ): EmbeddableAgent<Input, Output, HandoffsState> => {
      const { check, make } = open(setup);
      const { members, adapt, maxHandoffs = 10, revisits = 0, sees = 'task', fields = [] } = setup;
      const names = check.asked('members', members, {});
      const [first = ''] = names;
      const start = check.word('first', setup.first, first, names);
      return make({
        flow: [
          [OUTSIDE, start],
          [names, 'a handoff', 'hands over'],
          ['a handoff', names],
          [names, OUTSIDE],
        ],
        members,
        functions:
          adapt === undefined
            ? {}
            : {
                [ADAPTER]: (given = null, from = '', to = '') =>
                  adapt(given, { from: textOf(from), to: textOf(to) }),
              },
        options: {
          first: start,
          members: names,
          ...(isObject(sees)
            ? { sees: 'summary', rounds: sees.rounds ?? DEFAULT_ROUNDS }
            : { sees, rounds: DEFAULT_ROUNDS }),
          fields,
          maxHandoffs,
          revisits,
        } satisfies HandoffsOptions,
      });
    },
});
