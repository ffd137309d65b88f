import { append } from '../contracts/history.ts';
import type { StopReason } from '../contracts/stop.ts';
import type { Turn, UserTurn } from '../contracts/transcript.ts';
import type { AgentChange, AgentContext, Critiqued } from './agent-context.ts';

/** The critics have spoken. */
export const critiqued = (context: AgentContext, found: Critiqued, at: number): AgentChange => {
  const { review, run, history } = context;
  const { verdict, critiques } = found;
  const seen: AgentChange = { cycle: { ...context.cycle, critiques }, tally: { ...context.tally, now: at } };
  if (verdict.verdict === 'accept') return seen;
  if (verdict.verdict === 'stop')
    return { ...seen, end: { status: 'stopped', stopReason: { kind: 'criticStopped', note: verdict.note } } };
  const note: UserTurn = { role: 'user', from: 'critic', text: verdict.note };
  const told: AgentChange = { ...seen, history: append<Turn>(history, note) };
  if (review.candidate === null) return told;
  const rejections = review.rejections + 1;
  if (rejections > run.maxRejections) {
    const stopReason: StopReason = { kind: 'rejected', note: verdict.note, rejections };
    return { ...seen, review: { ...review, rejections }, end: { status: 'stopped', stopReason } };
  }
  return { ...told, review: { ...review, candidate: null, rejections } };
};
