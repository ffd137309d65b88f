import { adviceOn } from '../../contracts/errors/error-advice.ts';
import { categoryOf } from '../../contracts/errors/error-category.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { FailureEntry, FailureReport, RecoveryDecision } from '../../contracts/agents/recovery.ts';
import type { AgentContext, End } from '../agent/agent-context.ts';

/** One line of the report. */
export const entryOf = (
  error: ErrorData,
  streak: number,
  decision: RecoveryDecision['kind'],
  note?: string,
): FailureEntry => {
  const { errorId, step, phase, operation, code, message } = error;
  return {
    ...(errorId === undefined ? {} : { errorId }),
    ...(step === undefined ? {} : { step }),
    ...(phase === undefined ? {} : { phase }),
    ...(operation === undefined ? {} : { operation }),
    code,
    category: categoryOf(error),
    message,
    streak,
    decision,
    ...(note === undefined ? {} : { note }),
    advice: adviceOn(error),
  };
};

/** The failures of a run, the fatal one last; undefined if there are none. */
export const reportOf = (
  { review: { recovery } }: AgentContext,
  { status, error, problems }: End,
): FailureReport | undefined => {
  const survived = recovery?.failures ?? [];
  const count = recovery?.count ?? 0;
  const fatal = status !== 'failed' || error === undefined ? [] : (problems ?? [error]);
  const isNew = fatal.length > 0 && survived.at(-1)?.decision !== 'giveUp';
  const last = isNew ? fatal.map((each) => entryOf(each, (recovery?.streak ?? 0) + 1, 'giveUp')) : [];
  if (survived.length + last.length === 0) return undefined;
  return { failures: [...survived, ...last], omitted: Math.max(0, count - survived.length) };
};
