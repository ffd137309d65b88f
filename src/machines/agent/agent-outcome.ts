import type { ErrorCode } from '../../contracts/errors/error-data.ts';
import type { History } from '../../base/collections/history.ts';
import { HistoryView } from '../../base/collections/history.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { AgentContext, End } from './agent-context.ts';
import { reportOf } from '../recovery/failure-report.ts';

/** The outcome of an agent's run. */
export const outcome = ({ context }: { context: AgentContext }): Outcome => {
  const { end, review, step, state, tally } = context;
  const { status, stopReason, error }: End = end ?? UNFINISHED;
  const report = reportOf(context, end ?? UNFINISHED);
  // The answer that was rejected last is better than none.
  const answer = review.candidate?.answer ?? (review.watch.said || undefined);
  return {
    status,
    stopReason,
    ...(status === 'completed' ? { output: answer } : answer === undefined ? {} : { candidate: answer }),
    ...(status === 'completed' && review.candidate?.autoCompleted === true ? { autoCompleted: true } : {}),
    ...(error === undefined ? {} : { error }),
    ...(report === undefined ? {} : { report }),
    steps: step,
    state,
    tally,
    ...conversationOf(context, error?.code),
  };
};

const conversationOf = (
  { history, run }: AgentContext,
  code: ErrorCode | undefined,
): Pick<Outcome, 'conversation'> => {
  if (code === 'model.context-overflow') return { conversation: latterHalf(history) };
  return run.keepsConversation === true ? { conversation: new HistoryView(history).toArray() } : {};
};

/** The second half of a conversation that became too long; it starts with a turn that a model can follow. */
const latterHalf = (history: History<Turn>): readonly Turn[] => {
  const turns = new HistoryView(history).toArray();
  const half = Math.ceil(turns.length / 2);
  const first = turns.findIndex(({ role }, index) => index >= half && role !== 'tool');
  const left = first < 0 ? [] : turns.slice(first);
  const note = '(What was said before is left out: it had become too long.)';
  return [{ role: 'user', from: 'runtime', text: note }, ...left];
};

const UNFINISHED: End = {
  status: 'stopped',
  stopReason: { kind: 'aborted', reason: 'stopped from outside' },
};
