import type { Finding } from './invariants.ts';
import type { RunEnd } from './simulated-run.ts';

/**
 * Names the reason why a run goes on no more, and has not ended: somebody never answers, a reply is lost, or agents wait for each other. Undefined for
 * one that has ended, or that waits for a person.
 */
export const stuckFinding = ({
  stuck,
  underWay,
  open,
  result,
  error,
  durationMs,
}: RunEnd): Finding | undefined => {
  if (stuck === undefined || stuck === 'waiting') return undefined;
  if (stuck === 'endless')
    return { rule: 'ends', reason: `it still goes on after ${Math.round(durationMs / 86_400_000)} days` };
  if (underWay.length > 0)
    return { rule: 'lost reply', reason: `${underWay.join(', ')} never answers, and nobody's time is up` };
  // What was asked for, and withdrawn when the run was aborted.
  const asked = (result?.effects ?? []).filter(({ state }) => state === 'withdrawn');
  const waits = asked.filter(({ port }) => port === 'wake');
  const deaf = asked.filter(({ port }) => port !== 'wake' && port !== 'pause');
  const waiting = [...new Set(waits.map(({ path }) => path))];
  const [silent] = deaf;
  if (silent !== undefined)
    return {
      rule: 'lost reply',
      reason: `${silent.path} never has an answer of its '${silent.port}', and nobody's time is up`,
    };
  if (waiting.length > 1)
    return {
      rule: 'deadlock',
      reason: `${waiting.join(' and ')} wait for messages, and nobody is left to send one`,
    };
  if (waiting.length === 1) return undefined;
  if (open.length > 0)
    return {
      rule: 'deadlock',
      reason: `${open.join(' and ')} ${open.length === 1 ? 'waits' : 'wait'} for something that nobody does any more`,
    };
  if (error !== undefined || result === undefined)
    return { rule: 'lost reply', reason: 'nothing is under way, and the run does not end' };
  return { rule: 'lost reply', reason: 'all members have ended, and their team does not' };
};
