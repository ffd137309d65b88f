import { append } from '../../base/collections/history.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import type { Turn, UserTurn } from '../../contracts/conversations/transcript.ts';
import type { AgentChange, AgentContext, Critiqued } from './agent-context.ts';
import { patchState, patchOf } from './critique-patch.ts';

/** Checks whether any critic reviews the step that was just reduced. */
export const wantsCritique = ({ run, review, step, end }: AgentContext): boolean => {
  if (end !== null || run.critics === 'none') return false;
  if (review.candidate !== null) return true;
  return run.critics === 'step' && (run.critiqueEvery?.some((every) => step % every === 0) ?? true);
};

/** Handles the critics' verdict. */
export const critiqued = (context: AgentContext, found: Critiqued, at: number): AgentChange => {
  const { review, run, history } = context;
  const { verdict, critiques } = found;
  const patch = patchOf(critiques);
  const seen: AgentChange = {
    ...patchState({ ...context, cycle: { ...context.cycle, critiques } }, patch?.state),
    tally: { ...context.tally, now: at },
  };
  const instructed: readonly Turn[] = patch?.instruction === undefined ? [] : [criticSays(patch.instruction)];
  if (verdict.verdict === 'accept')
    // An accepted answer ends the run, so instructions have no receiver.
    return instructed.length === 0 || review.candidate !== null
      ? seen
      : { ...seen, history: append<Turn>(history, ...instructed) };
  if (verdict.verdict === 'stop')
    return { ...seen, end: { status: 'stopped', stopReason: { kind: 'criticStopped', note: verdict.note } } };
  const revised: AgentChange = {
    ...seen,
    history: append<Turn>(history, criticSays(verdict.note), ...instructed),
  };
  if (review.candidate === null) return revised;
  const rejections = review.rejections + 1;
  if (rejections > run.maxRejections) {
    const stopReason: StopReason = { kind: 'rejected', note: verdict.note, rejections };
    return { ...seen, review: { ...review, rejections }, end: { status: 'stopped', stopReason } };
  }
  return { ...revised, review: { ...review, candidate: null, rejections } };
};

const criticSays = (text: string): UserTurn => ({ role: 'user', from: 'critic', text });
