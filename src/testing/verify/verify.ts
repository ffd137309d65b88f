import type { Agent } from '../../contracts/agents/agent.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import { definitionOf } from '../../runtime/define/definition.ts';
import type { Audit } from './audit-runs.ts';
import { auditRuns } from './audit-runs.ts';
import { KnownNames } from './known-names.ts';
import type { Proof } from './proof.ts';
import { prove } from './prove.ts';
import type { AuditOptions, ProofOptions } from './verify-options.ts';
import { checkAudit, checkProof } from './verify-options.ts';

/**
 * Verifies properties of an agent or a team: proves them before any run, or with `over` audits the runs of a store.
 *
 * A proof reaches every state of a run: the charts of all actors, moved by the runtime's own turn, with all that their environment may do, in every
 * order. Models may call any tool, answer, refuse and fail; tools may succeed and fail; people may say yes and no; timers may fire, and limits
 * be reached. It says what holds, within which bounds and on which assumptions, and of what does not the shortest story, which a genuine run
 * repeats. It executes no tool and asks no model.
 *
 * @example
 * const { verdict, violations } = await verify(desk, { properties: [property.never('pay').before('check')] });
 * console.log(verdict, violations[0]?.story.diagram);
 * const audit = await verify(desk, { properties, over: sqliteStore('runs.db') });
 *
 * @throws {TroupeError} `input.invalid` for options that are none, a property of a proof that names a tool or an agent that there is not, and a `safety` that does not judge at once; `policy.invalid` for a property that
 * cannot tell; `journal.unknown` for a run that is not in the store, and where it has none of the agent; `agent.invalid` for what is no agent.
 */
export const verify = <Input, Output, State, Given extends AuditOptions | ProofOptions = ProofOptions>(
  agent: Agent<Input, Output, State>,
  options?: Given,
): Promise<Verified<Given>> => verifyAmong(agent, [], options);

/** Verifies an agent by properties that are shared with others: these may speak of what the others have. */
export const verifyAmong = async <Given extends AuditOptions | ProofOptions = ProofOptions>(
  agent: { readonly name: string },
  others: readonly { readonly name: string }[],
  options?: Given,
): Promise<Verified<Given>> => {
  const definition = definitionOf(agent);
  if (definition === undefined)
    throw new TroupeError('agent.invalid', 'Cannot verify what was not made by agent() or a team');
  const given: AuditOptions | ProofOptions = options ?? {};
  const around = others.flatMap((other) => definitionOf(other) ?? []);
  const report =
    'over' in given
      ? await auditRuns(definition.name, checkAudit(given))
      : await proveAmong(definition, around, checkProof(given));
  // By the same option as its type.
  return report as Verified<Given>;
};

/** A stored run may have tools and agents that the definition has no more; a proof has those of the definition alone. */
const proveAmong = (
  definition: Definition,
  around: readonly Definition[],
  options: ProofOptions,
): Promise<Proof> => {
  new KnownNames([definition, ...around]).assertKnown(definition.name, options);
  return prove(definition, options);
};

/** The report of what was asked for: an audit where there is a store. */
type Verified<Given> = Given extends AuditOptions ? Audit : Proof;
