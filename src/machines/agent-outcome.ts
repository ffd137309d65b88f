import type { Outcome } from '../contracts/run.ts';
import type { AgentContext, End } from './agent-context.ts';
import { reportOf } from './failure-report.ts';

/** What is left of an agent when it is done. */
export const outcome = ({ context }: { context: AgentContext }): Outcome => {
  const { end, review, step, state, tally } = context;
  const { status, stopReason, error }: End = end ?? UNFINISHED;
  const report = reportOf(context, end ?? UNFINISHED);
  // What was sent back to the last is all there is, and better than nothing.
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
  };
};

const UNFINISHED: End = {
  status: 'stopped',
  stopReason: { kind: 'aborted', reason: 'stopped from outside' },
};
