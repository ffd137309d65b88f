import type { Json } from '../base/json/json.ts';
import { anything, wholeNumber } from '../base/schemas/option-schemas.ts';
import type { Card } from '../coordination/round/card.ts';
import { answeredWith, endedAs, stoppedBy } from '../coordination/round/ends.ts';
import { messageLines, troubleOf } from '../coordination/round/reply-text.ts';
import { textOf } from '../coordination/round/said-json.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import type { TeamContext, TeamEnd } from '../coordination/round/team-context.ts';
import { repliesOf, spentEnd } from '../coordination/round/team-context.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import type { TeamSetup } from '../runtime/define/team.ts';
import { pattern } from './setup/pattern.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';
import { setupShape } from './setup/setup-schema.ts';
import type { Skilled } from './skilled.ts';
import { skilledMembers } from './skilled.ts';
import { bestFit } from './state/best-fit.ts';

/** The proposers, and the aggregator that makes one answer of their proposals. */
export interface EnsembleSetup extends TeamSetup {
  /** By name; at least two, none of them called `aggregator`. Let them differ: in model, instructions or tools. */
  readonly proposers: Readonly<Record<string, Skilled<string, unknown>>>;
  /** Makes one answer of all proposals. */
  readonly aggregator: Role;
  /** The number of proposers that are asked, those whose name, skills and description fit the request best. Default: all. */
  readonly top?: number | undefined;
  /** Rounds of proposals; from the second on each proposer reads all of the round before. Default 1. */
  readonly layers?: number | undefined;
  /** Proposers at work at the same time. Default 10. */
  readonly concurrency?: number | undefined;
}

/** The member that makes one answer of all proposals, whose name no proposer may have. */
export const AGGREGATOR = 'aggregator';

/** The proposers, the number of them that are asked, and the layers. */
export type EnsembleOptions = {
  readonly proposers: readonly Card[];
  /** The number of them that are asked, those that fit the request best; null: all. */
  readonly top: number | null;
  /** Rounds of proposals; each sees those of the round before. */
  readonly layers: number;
  readonly cap: number;
};

/** One proposer's answer to the request. */
export type Perspective = { readonly member: string; readonly layer: number; readonly text: string };

/** The state of an ensemble's run. */
export type EnsembleState = {
  /** Those that were asked. */
  readonly chosen: readonly string[];
  /** Those of the last layer. */
  readonly perspectives: readonly Perspective[];
  /** Proposers without a proposal, and why. */
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
          `Answers so far, by several who did not know of each other:\n${listPerspectives(own.perspectives)}`,
          'Give a better answer: take what is right in them, and mend what is not.',
        ]),
  ].join('\n\n');

const listPerspectives = (perspectives: readonly Perspective[]): string =>
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
  return { own: next, end: endedAs(failed) };
};

const synthesise = (context: Context): Partial<Context> => {
  const { input, own } = context;
  const question = [
    `Request: ${textOf(input)}`,
    `Perspectives (${own.perspectives.length} of ${own.chosen.length}):\n${listPerspectives(own.perspectives)}`,
    'Make one answer of them. Where they contradict each other, say which is right, and why.',
  ].join('\n\n');
  return beginRound(context, [{ member: AGGREGATOR, input: question }]);
};

/** Without a synthesis the perspectives are still there. */
const merge = (context: Context): Partial<Context> => {
  const [reply] = repliesOf(context);
  const candidate: Json = [...context.own.perspectives];
  if (reply === undefined) return {};
  if (reply.status === 'completed') return { end: answeredWith(reply.output) };
  const detail = `the perspectives are as they came, as the ${AGGREGATOR} failed: ${troubleOf(reply)}`;
  const notMerged: TeamEnd = stoppedBy(AGGREGATOR, detail);
  return { end: { ...(spentEnd(context) ?? notMerged), candidate } };
};

const START: Own = { chosen: [], layer: 0, perspectives: [], missing: [] };

/**
 * Several answer the same request at the same time, without knowing of each other, and one answer is made of what they said: an ensemble, or in
 * `layers` a mixture of agents.
 *
 * One that fails is missing, and `result.state` says who and why; nobody's proposal is lost when the aggregator fails: the run ends `stopped
 * { rule: 'aggregator' }` with the perspectives as its candidate.
 *
 * Not for a question that has one short answer: let them vote (`consensus`). Not with three times the same agent: it makes the same mistake
 * three times, and costs four calls.
 *
 * @example
 * const report = ensemble({
 *   name: 'report',
 *   proposers: { optimist, sceptic, historian },
 *   aggregator: { instructions: 'Write one balanced paragraph.' },
 * });
 * const { output, state } = await report.run('Will fusion power be cheap?');
 *
 * @throws {TroupeError} `team.invalid` for less than two proposers, one called `aggregator` or that is no agent, or a number
 * that bounds nothing.
 */
export const ensemble = pattern({
  name: 'ensemble',
  description: 'Several answer the same request; one answer is made of what they said.',
  setup: () =>
    setupShape<EnsembleSetup>({
      proposers: anything(),
      aggregator: anything(),
      top: wholeNumber(1),
      layers: wholeNumber(1),
      concurrency: wholeNumber(1),
    }),
  defaults: { proposers: [], top: null, layers: 1, cap: 1 },
  own: START,
  handsOnTo: ({ proposers }) => proposers.map(({ name }) => name),
  actions: { propose, compare, synthesise, merge },
  guards: { hasLayers: ({ own, options }) => own.layer < options.layers },
  initial: 'proposing',
  states: {
    proposing: {
      description: 'All propose an answer at the same time; from the second layer on they read those before.',
      entry: 'propose',
      awaits: 'comparing',
    },
    comparing: {
      description: 'What was proposed, by whom, and is there another layer?',
      entry: 'compare',
      always: ['failed', 'aborted', 'stopped', { guard: 'hasLayers', target: 'proposing' }, 'synthesising'],
    },
    synthesising: {
      description: 'One answer is made of all perspectives.',
      entry: 'synthesise',
      awaits: 'merged',
    },
    merged: {
      description: 'Is there one answer, or are the perspectives all that there is?',
      entry: 'merge',
      always: ['completed', 'stopped'],
    },
  },
  team:
    (open) =>
    <Output = string>(setup: EnsembleSetup): EmbeddableAgent<string, Output, EnsembleState> => {
      const { check, make } = open(setup);
      const { name, top = null, layers = 1, concurrency = 10 } = setup;
      check.asked('proposers', setup.proposers, { least: 2, reserved: [AGGREGATOR] });
      const { cards, members } = skilledMembers(name, setup.proposers, check);
      const role = { team: name, role: AGGREGATOR, instructions: 'You make one answer of several.' };
      const names = cards.map((card) => card.name);
      return make({
        flow: [
          [OUTSIDE, names],
          ...(layers === 1
            ? [[names, AGGREGATOR, 'proposals'] as const]
            : [
                [names, 'the proposals', ''] as const,
                ['the proposals', names, `${layers} layers`] as const,
                ['the proposals', AGGREGATOR] as const,
              ]),
          [AGGREGATOR, OUTSIDE],
        ],
        members: { ...members, [AGGREGATOR]: roleOf(setup.aggregator, role) },
        options: {
          proposers: cards,
          top,
          layers,
          cap: concurrency,
        },
      });
    },
});
