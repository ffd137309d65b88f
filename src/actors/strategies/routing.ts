import * as z from 'zod/mini';
import { handoff } from '../../contracts/agents/decision.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { inEnglish } from '../../base/schemas/in-english.ts';
import { describeSchema } from '../../base/schemas/describe-schema.ts';
import { schemaOnDemand } from '../../base/schemas/schema-on-demand.ts';
import { onDemand } from '../../base/on-demand.ts';
import type { Strategy } from '../../contracts/agents/strategy.ts';

/** Options of {@link routing}. */
export interface RoutingOptions {
  /** Names with descriptions, which the model reads. Default: any name. */
  readonly agents?: Readonly<Record<string, string>> | undefined;
  /** Phases that the work may be in. Default: any, or none. */
  readonly phases?: readonly string[] | undefined;
  /** Ends the run `handedOff` to the first agent named, with the reason as its message. Default: the decision is the answer. */
  readonly handsOff?: boolean | undefined;
}

const name = onDemand(() => z.string().check(z.trim(), z.minLength(1)));

/** A routing decision: the next agents, the phase, and the reason. The `output` of an agent that routes. */
export const routingSchema = schemaOnDemand(() =>
  inEnglish(
    z.object({
      agents: describeSchema(
        z.array(name()).check(z.minLength(1)),
        'Who is to go on: at least one, each named once.',
      ),
      phase: describeSchema(z.optional(name()), 'The phase that the work is in from now on, if it changes.'),
      reason: describeSchema(name(), 'Why, in a sentence.'),
    }),
  ),
);

/** See {@link routingSchema}. */
export type RoutingDecision = z.output<typeof routingSchema>;

/**
 * The strategy `routing`: the agent assigns the work instead of doing it.
 *
 * Its answer is a {@link routingSchema}: JSON, in a fence or not. An invalid one is requested once more, then the run fails with
 * `output.invalid`. Without an `output` schema the answer is the decision as JSON text.
 *
 * @example
 * const router = agent({
 * name: 'router',
 * strategy: routing({ agents: { billing: 'invoices and refunds', tech: 'what does not work' } }),
 * output: routingSchema,
 * });
 * (await router.run('I want my money back')).output?.agents; // => ['billing']
 *
 * @throws {TroupeError} `agent.invalid` where there is nobody to route to.
 */
export const routing = ({ agents, phases, handsOff = false }: RoutingOptions = {}): Strategy => {
  const names = agents === undefined ? undefined : Object.keys(agents);
  if (names?.length === 0 || phases?.length === 0)
    throw new TroupeError(
      'agent.invalid',
      `Cannot route as there is ${names?.length === 0 ? 'no agent' : 'no phase'} to choose from: leave the option out for any`,
    );
  const schema = z.extend(routingSchema, {
    agents: z.array(names === undefined ? name() : z.enum(names)).check(
      z.minLength(1),
      z.refine((chosen) => new Set(chosen).size === chosen.length, 'an agent is named twice'),
    ),
    ...(phases === undefined ? {} : { phase: z.optional(z.enum(phases)) }),
  });
  return {
    name: 'routing',
    fragments: [{ name: 'routing', priority: 150, text: instructionsOf(agents, phases) }],
    answer: {
      schema,
      repairs: 1,
      decision: (answer) => {
        const { agents: chosen, reason } = schema.parse(answer);
        const [first] = chosen;
        return handsOff && first !== undefined ? handoff(first, reason) : undefined;
      },
    },
  };
};

const instructionsOf = (
  agents: Readonly<Record<string, string>> | undefined,
  phases: readonly string[] | undefined,
): string =>
  [
    'You do not do the work yourself: you decide who does. Answer with one JSON object of this form and nothing else:',
    '{"agents": ["at least one name"], "phase": "only if it changes", "reason": "why, in a sentence"}',
    ...(agents === undefined
      ? []
      : [
          `Agents:\n${Object.entries(agents)
            .map(([agent, good]) => (good === '' ? `- ${agent}` : `- ${agent}: ${good}`))
            .join('\n')}`,
        ]),
    ...(phases === undefined ? [] : [`Phases: ${phases.join(', ')}`]),
  ].join('\n\n');
