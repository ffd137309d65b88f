import { onDemand } from '../../base/on-demand.ts';
import {
  aNumber,
  oneOf,
  optional,
  optionsSchema,
  together,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import type {
  BackOff,
  Directive,
  FailureClass,
  MemberPolicy,
  SupervisionPolicy,
} from '../../contracts/agents/supervision.ts';

const DEEDS: readonly Directive[] = [
  'restart',
  'backOff',
  'compact',
  'correct',
  'quarantine',
  'escalate',
  'stop',
];

const directivesSchema = onDemand(() => {
  const deed = optional(oneOf(DEEDS));
  return optionsSchema<Record<FailureClass, Directive>>({
    rateLimit: deed,
    overflow: deed,
    badOutput: deed,
    outage: deed,
    timeOut: deed,
    crash: deed,
    escalated: deed,
    poison: deed,
    auth: deed,
    bug: deed,
    stopped: deed,
  });
});

const backOffSchema = onDemand(() =>
  together<BackOff>(
    optionsSchema<BackOff>({
      leastMs: optional(aNumber(0)),
      mostMs: optional(aNumber(0)),
      stableMs: optional(aNumber(0)),
    }),
    ({ leastMs = 0, mostMs = Infinity }) =>
      mostMs < leastMs ? ['mostMs', `not a number from ${leastMs}`] : undefined,
  ),
);

const memberShape = () => ({
  restart: optional(oneOf(['permanent', 'transient', 'temporary'])),
  backOff: optional(backOffSchema()),
  directives: optional(directivesSchema()),
  poisonAfter: optional(wholeNumber(1)),
});

/** The schema of the supervision that a member asks for. */
export const memberPolicySchema = onDemand(() => optionsSchema<MemberPolicy>(memberShape()));

/** The schema of the supervision of a team. */
export const supervisionSchema = onDemand(() =>
  optionsSchema<SupervisionPolicy>({
    ...memberShape(),
    strategy: optional(oneOf(['one-for-one', 'one-for-all', 'rest-for-one'])),
    intensity: optional(
      optionsSchema<NonNullable<SupervisionPolicy['intensity']>>({
        restarts: wholeNumber(0),
        withinMs: aNumber(1),
      }),
    ),
  }),
);
