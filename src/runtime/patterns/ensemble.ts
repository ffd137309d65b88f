import type { EnsembleState, Perspective } from '../../coordination/ensemble.ts';
import { ensembleMachine, AGGREGATOR } from '../../coordination/ensemble.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import type { TeamSetup } from '../define/team.ts';
import { setupOf, team } from '../define/team.ts';
import { checkSetup } from './setup/check-setup.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';
import type { Skilled } from './skilled.ts';
import { skilledMembers } from './skilled.ts';

export type { EnsembleState, Perspective };

/** Who proposes, and who makes one answer of it. */
export interface EnsembleSetup extends TeamSetup {
  /** By name; at least two, none of them called `aggregator`. Let them differ: in model, instructions or tools. */
  readonly proposers: Readonly<Record<string, Skilled<string, unknown>>>;
  /** Makes one answer of all proposals. */
  readonly aggregator: Role;
  /** So many proposers, those whose name, skills and description fit the request best. Default: all. */
  readonly top?: number | undefined;
  /** Rounds of proposals; from the second on each proposer reads all of the round before. Default 1. */
  readonly layers?: number | undefined;
  /** Proposers at work at the same time. Default 10. */
  readonly concurrency?: number | undefined;
}

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
export const ensemble = <Output = string>(
  setup: EnsembleSetup,
): EmbeddableAgent<string, Output, EnsembleState> => {
  const check = checkSetup(setup);
  const { name, top } = setup;
  check.asked('proposers', setup.proposers, { least: 2, reserved: [AGGREGATOR] });
  const { cards, members } = skilledMembers(name, setup.proposers, check);
  const role = { team: name, role: AGGREGATOR, instructions: 'You make one answer of several.' };
  return team({
    ...setupOf(setup),
    machine: ensembleMachine,
    members: { ...members, [AGGREGATOR]: roleOf(setup.aggregator, role) },
    options: {
      proposers: cards,
      top: top === undefined ? null : check.count('top', top, 1),
      layers: check.count('layers', setup.layers, 1),
      cap: check.count('concurrency', setup.concurrency, 10),
    },
  });
};
