import { freezeJson } from '../base/json/freeze-json.ts';
import type { Decision } from '../contracts/agents/decision.ts';
import { categoryOf } from '../contracts/errors/error-category.ts';
import type { ErrorData } from '../contracts/errors/error-data.ts';
import { messageOf } from '../contracts/errors/error.ts';
import { toJson } from '../base/json/json.ts';
import type { Failure, RecoveryDecision } from '../contracts/agents/recovery.ts';
import { andThen, isThenable } from '../base/promises/thenable.ts';
import type { RecoverAsk } from '../machines/asks.ts';
import type { Recovered } from '../machines/recovery/recovery.ts';
import { phaseOfPort } from '../machines/recovery/recovery.ts';
import { checkChoice, settleDecision } from './deciding/decide.ts';
import type { Desk } from './desk.ts';
import { withinAgentTime } from './within-agent-time.ts';

/** Decides about a failure. Never throws or rejects: a broken handler gives up. */
export const recover = (ask: RecoverAsk, desk: Desk): Recovered | Promise<Recovered> => {
  const failure = failureOf(ask, desk);
  const parse = (said: unknown) => parseDecision(said, failure, ask, desk);
  const giveUp = (thrown: unknown): Recovered => ({
    decision: 'giveUp',
    note: `the recovery handler failed: ${messageOf(thrown)}`,
  });
  try {
    const said = withinAgentTime(desk.definition.recovery?.handle?.(failure), 'handle', desk);
    const recovered = isThenable(said) ? said.then(parse) : parse(said);
    return isThenable(recovered) ? recovered.then(undefined, giveUp) : recovered;
  } catch (thrown) {
    return giveUp(thrown);
  }
};

const failureOf = ({ error, port, context }: RecoverAsk, desk: Desk): Failure => ({
  error: freezeJson(error),
  category: categoryOf(error),
  phase: phaseOfPort[port],
  step: context.step,
  streak: context.review.recovery?.streak ?? 1,
  usual: usualFor(error),
  state: context.state,
  context: desk.context,
  get signal() {
    return desk.abort.signal;
  },
});

/** The default decision: transient failures are skipped, permanent ones would repeat. */
const usualFor = (error: ErrorData): Failure['usual'] => {
  switch (categoryOf(error)) {
    case 'parse':
    case 'tool':
    case 'env':
      return 'skip';
    default:
      return error.retryable === 'no' ? 'giveUp' : 'skip';
  }
};

/** Validates a handler's decision, which is as foreign as a model's. */
const parseDecision = (
  said: unknown,
  failure: Failure,
  ask: RecoverAsk,
  desk: Desk,
): Recovered | Promise<Recovered> => {
  if (said === undefined) return { decision: failure.usual };
  if (!isDecision(said))
    throw new TypeError(`it answered ${JSON.stringify(toJson(said))}, which is no decision`);
  const { kind, note, state } = said;
  const base = {
    decision: kind,
    ...(note === undefined ? {} : { note: String(note) }),
    ...(state === undefined ? {} : { state: toJson(state) }),
  };
  if (said.kind !== 'replace') return base;
  const value = toJson(said.with);
  switch (ask.port) {
    case 'observe':
      return { ...base, observation: value };
    case 'decide':
      return andThen(decideInstead(said.with, ask, desk), (decided) => ({ ...base, decided }));
    case 'act':
      return { ...base, text: typeof value === 'string' ? value : JSON.stringify(value) };
  }
};

const decideInstead = (
  given: unknown,
  { context }: RecoverAsk,
  desk: Desk,
): ReturnType<typeof settleDecision> => {
  // Anything else fails the validation.
  const decision = checkChoice(given as Decision, desk.definition.name);
  if (decision.kind === 'branch') throw new TypeError('a branch cannot stand in for a decision');
  return settleDecision({ decision }, context, desk);
};

const KINDS: readonly unknown[] = ['retry', 'skip', 'replace', 'giveUp'];

const isDecision = (said: unknown): said is RecoveryDecision =>
  typeof said === 'object' &&
  said !== null &&
  'kind' in said &&
  KINDS.includes(said.kind) &&
  (said.kind !== 'replace' || 'with' in said);
