import type { Agent } from '../../contracts/agent.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { Perspective } from '../../coordination/ensemble.ts';
import { ensembleMachine, SYNTHESISER } from '../../coordination/ensemble.ts';
import { checkCount } from '../check-count.ts';
import type { EmbeddableAgent } from '../face.ts';
import type { Member, TeamSetup } from '../team.ts';
import { setupOf, team } from '../team.ts';
import type { RoleOptions } from './role-of.ts';
import { roleOf } from './role-of.ts';

export type { Perspective };

/** Who proposes, and who makes one answer of it. */
export interface EnsembleSetup extends TeamSetup {
  /** By name; at least two, none of them called `synthesiser`. Let them differ: in model, instructions or tools. */
  readonly proposers: Readonly<Record<string, Agent<string, unknown>>>;
  /** An agent or a team as it is, or the options of one that is made for it. */
  readonly synthesiser: Member | RoleOptions;
  /** So many proposers, those whose name and description fit the request best. Default: all. */
  readonly top?: number | undefined;
  /** Rounds of proposals; from the second on each proposer reads all of the round before. Default 1. */
  readonly layers?: number | undefined;
  /** Proposers at work at the same time. Default 10. */
  readonly concurrency?: number | undefined;
}

/** What is known of an ensemble's run beside its answer. */
export interface EnsembleState {
  readonly chosen: readonly string[];
  readonly perspectives: readonly Perspective[];
  readonly missing: readonly { readonly proposer: string; readonly layer: number; readonly why: string }[];
}

/**
 * Several answer the same request at the same time, without knowing of each other, and one answer is made of what they said: an ensemble, or in
 * `layers` a mixture of agents.
 *
 * One that fails is missing, and `result.state` says who and why; nobody's proposal is lost when the synthesiser fails: the run ends `stopped
 * { rule: 'synthesiser' }` with the perspectives as its candidate.
 *
 * Not for a question that has one short answer: let them vote (`consensus`). Not with three times the same agent: it makes the same mistake
 * three times, and costs four calls.
 *
 * @example
 * const report = ensemble({
 *   name: 'report',
 *   proposers: { optimist, sceptic, historian },
 *   synthesiser: { instructions: 'Write one balanced paragraph.' },
 * });
 * const { output, state } = await report.run('Will fusion power be cheap?');
 *
 * @throws {TroupeError} `team.invalid` for less than two proposers, one called `synthesiser` or that is no agent, or a number
 * that bounds nothing.
 */
export const ensemble = <Output = string>(
  setup: EnsembleSetup,
): EmbeddableAgent<string, Output, EnsembleState> => {
  const { name, proposers, top } = setup;
  const names = Object.keys(proposers);
  const count = { code: 'team.invalid', owner: `the team '${name}'` } as const;
  if (names.length < 2 || names.includes(SYNTHESISER))
    throw new TroupeError(
      'team.invalid',
      `Cannot define the team '${name}' as it needs two proposers at least, none of them called '${SYNTHESISER}': found ${names.join(', ') || 'none'}`,
    );
  const role = { team: name, role: SYNTHESISER, instructions: 'You make one answer of several.' };
  return team({
    ...setupOf(setup),
    machine: ensembleMachine,
    members: { ...proposers, [SYNTHESISER]: roleOf(setup.synthesiser, role) },
    options: {
      proposers: Object.entries(proposers).map(([proposer, { description }]) => ({
        name: proposer,
        description,
      })),
      top: top === undefined ? null : checkCount(top, 1, 'top', count),
      layers: checkCount(setup.layers ?? 1, 1, 'layers', count),
      cap: checkCount(setup.concurrency ?? 10, 1, 'concurrency', count),
    },
  });
};
