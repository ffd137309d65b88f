import { assign } from 'xstate';
import type { Json } from '../contracts/json.ts';
import { bestFit } from './state/best-fit.ts';
import type { Card } from './round/card.ts';
import { onDemand } from '../contracts/on-demand.ts';
import { messageLines, troubleOf } from './round/reply-text.ts';
import { textOf } from './round/said-json.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from './round/setup-team.ts';
import type { TeamContext, TeamEnd, TeamInput } from './round/team-context.ts';
import { repliesOf, spentEnd, teamContext, teamOutcome } from './round/team-context.ts';

/** The member that makes one answer of all proposals, whose name no proposer may have. */
export const AGGREGATOR = 'aggregator';

/** Who proposes, how often, and how many of them. */
export type EnsembleOptions = {
  readonly proposers: readonly Card[];
  /** So many of them, those that fit the request best; null: all. */
  readonly top: number | null;
  /** Rounds of proposals; each sees those of the round before. */
  readonly layers: number;
  readonly cap: number;
};

/** What one of several made of the same request. */
export type Perspective = { readonly member: string; readonly layer: number; readonly text: string };

/** What is known of an ensemble's run beside its answer. */
export type EnsembleState = {
  /** Those that were asked. */
  readonly chosen: readonly string[];
  /** Those of the last layer. */
  readonly perspectives: readonly Perspective[];
  /** Who did not propose, and why. */
  readonly missing: readonly { readonly member: string; readonly layer: number; readonly reason: string }[];
};

type Own = EnsembleState & { readonly layer: number };
type Context = TeamContext<Own, EnsembleOptions>;

/** Those that fit best, one after the other, in the order in which they were given. */
const choose = ({ options, input }: Context): readonly string[] => {
  const { proposers, top } = options;
  const chosen = new Set<string>();
  while (chosen.size < Math.min(top ?? proposers.length, proposers.length)) {
    const next = bestFit(
      textOf(input),
      proposers.filter(({ name }) => !chosen.has(name)),
    );
    if (next === undefined) break;
    chosen.add(next);
  }
  return proposers.flatMap(({ name }) => (chosen.has(name) ? [name] : []));
};

const propose = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const chosen = own.layer === 0 ? choose(context) : own.chosen;
  const asked = { ...own, chosen, layer: own.layer + 1 };
  const input = request({ ...context, own: asked });
  return {
    own: asked,
    inbox: [],
    ...beginRound(
      context,
      chosen.map((member) => ({ member, input })),
      { cap: options.cap },
    ),
  };
};

/** The request; from the second layer on with what all proposed in the layer before, without names: who said it is no reason. */
const request = ({ input, own, inbox }: Context): string =>
  [
    textOf(input),
    ...messageLines(inbox),
    ...(own.perspectives.length === 0
      ? []
      : [
          `Answers so far, by several who did not know of each other:\n${listed(own.perspectives)}`,
          'Give a better answer: take what is right in them, and mend what is not.',
        ]),
  ].join('\n\n');

const listed = (perspectives: readonly Perspective[]): string =>
  perspectives.map(({ text }, index) => `${index + 1}. ${text}`).join('\n');

const compare = (context: Context): Partial<Context> => {
  const { own } = context;
  const { layer } = own;
  const replies = repliesOf(context);
  const perspectives = replies.flatMap(({ member, status, output }) =>
    status === 'completed' ? [{ member: member, layer, text: textOf(output) }] : [],
  );
  const missing = replies.flatMap((reply) => {
    const reason = troubleOf(reply);
    return reason === null ? [] : [{ member: reply.member, layer, reason }];
  });
  // A layer in which nobody proposed anything leaves what the one before it had.
  const kept = perspectives.length === 0 ? own.perspectives : perspectives;
  const next = { ...own, perspectives: kept, missing: [...own.missing, ...missing] };
  const spent = spentEnd(context);
  if (spent !== undefined) return { own: next, end: { ...spent, candidate: [...kept] } };
  const failed = replies.find(({ status }) => status !== 'completed');
  if (kept.length > 0 || failed === undefined) return { own: next };
  const { status, stopReason, error } = failed;
  return { own: next, end: { status, stopReason, ...(error === null ? {} : { error }) } };
};

const synthesise = (context: Context): Partial<Context> => {
  const { input, own } = context;
  const question = [
    `Request: ${textOf(input)}`,
    `Perspectives (${own.perspectives.length} of ${own.chosen.length}):\n${listed(own.perspectives)}`,
    'Make one answer of them. Where they contradict each other, say which is right, and why.',
  ].join('\n\n');
  return beginRound(context, [{ member: AGGREGATOR, input: question }]);
};

/** Without a synthesis the perspectives are still there. */
const merge = (context: Context): Partial<Context> => {
  const [reply] = repliesOf(context);
  const candidate: Json = [...context.own.perspectives];
  if (reply === undefined) return {};
  if (reply.status === 'completed')
    return { end: { status: 'completed', stopReason: { kind: 'answered' }, output: reply.output } };
  const detail = `the perspectives are as they came, as the ${AGGREGATOR} failed: ${troubleOf(reply)}`;
  const notMerged: TeamEnd = {
    status: 'stopped',
    stopReason: { kind: 'rule', rule: AGGREGATOR, detail },
  };
  return { end: { ...(spentEnd(context) ?? notMerged), candidate } };
};

const START: Own = { chosen: [], layer: 0, perspectives: [], missing: [] };

/**
 * Several answer the same request without knowing of each other, perhaps in layers of which each reads the one before, and one answer is
 * made of what they said ("Mixture-of-Agents", Wang et al., 2024).
 */
export const ensembleMachine = onDemand(() =>
  setupTeam<Own, EnsembleOptions>()
    .extend({
      actions: {
        propose: assign(({ context }) => propose(context)),
        compare: assign(({ context }) => compare(context)),
        synthesise: assign(({ context }) => synthesise(context)),
        merge: assign(({ context }) => merge(context)),
      },
      guards: { hasLayers: ({ context: { own, options } }) => own.layer < options.layers },
    })
    .createMachine({
      id: 'ensemble',
      description: 'Several answer the same request; one answer is made of what they said.',
      context: ({ input }: { input: TeamInput<EnsembleOptions> | undefined }) =>
        teamContext(input && { ...input, members: input.options.proposers.map(({ name }) => name) }, START, {
          proposers: [],
          top: null,
          layers: 1,
          cap: 1,
        }),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'proposing',
      on: teamArrows,
      states: {
        proposing: {
          description:
            'All propose an answer at the same time; from the second layer on they read those before.',
          entry: ['propose', { type: 'entered', params: { phase: 'proposing' } }, 'engageMembers'],
          ...awaiting('comparing'),
        },
        comparing: {
          description: 'What was proposed, by whom, and is there another layer?',
          entry: ['compare', { type: 'entered', params: { phase: 'comparing' } }],
          always: [
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isAborted', target: 'aborted' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'hasLayers', target: 'proposing' },
            { target: 'synthesising' },
          ],
        },
        synthesising: {
          description: 'One answer is made of all perspectives.',
          entry: [{ type: 'entered', params: { phase: 'synthesising' } }, 'synthesise', 'engageMembers'],
          ...awaiting('merged'),
        },
        merged: {
          description: 'Is there one answer, or are the perspectives all that there is?',
          entry: ['merge', { type: 'entered', params: { phase: 'merged' } }],
          always: [{ guard: 'isCompleted', target: 'completed' }, { target: 'stopped' }],
        },
        ...teamEnds,
      },
    }),
);
