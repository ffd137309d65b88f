import { isJsonObject } from '../../base/json/json.ts';
import type { Finding } from './invariants.ts';
import type { RunEnd } from './run-end.ts';

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
    return { rule: 'lost reply', reason: `${underWay.join(', ')} never answers, and no time limit ends it` };
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

/** Ports that wait for a time, or for a person. */
const WAITS: ReadonlySet<string> = new Set(['wake', 'pause', 'approve']);

/** Names the code of agents that never answered, and the members whose time was up as nobody answered them: their team went on without them. */
export const silentFindings = ({ silent, result }: Pick<RunEnd, 'silent' | 'result'>): readonly Finding[] => {
  const effects = result?.effects ?? [];
  const timedOut = effects.flatMap(({ state, output }) => {
    if (state !== 'failed' || !isJsonObject(output)) return [];
    const { code, message } = output;
    return code === 'agent.timeout' && typeof message === 'string' ? [message] : [];
  });
  const unanswered = silent.flatMap((path) => {
    const asked = effects.find(
      (effect) =>
        effect.state === 'withdrawn' &&
        !WAITS.has(effect.port) &&
        (effect.path === path || effect.path.startsWith(`${path}/`)),
    );
    return asked === undefined
      ? []
      : [`${asked.path} never had an answer of its '${asked.port}', until its time was up`];
  });
  return [...timedOut, ...unanswered].map((reason) => ({ rule: 'lost reply', reason }));
};
