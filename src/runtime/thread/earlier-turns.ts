import { isObject } from '../../base/schemas/option-schemas.ts';
import type { ThreadTurn } from '../../contracts/conversations/thread.ts';
import type { AssistantTurn, Turn } from '../../contracts/conversations/transcript.ts';

/** The part of a thread's earlier runs that the next run is shown. */
export type ThreadShown = 'cycles' | 'answers';

/** The turns of a thread as history of its next run. */
export const earlierTurns = (turns: readonly ThreadTurn[], shown: ThreadShown): readonly Turn[] =>
  turns.filter((turn) => shown === 'cycles' || isAnswer(turn)).map(plainTurn);

/** Senders whose messages are internal to a run. */
const WITHIN: readonly unknown[] = ['runtime', 'observation', 'critic', 'memory'];

const isAnswer = (turn: ThreadTurn): boolean => {
  switch (turn.role) {
    case 'user':
      return !WITHIN.includes(turn.from);
    case 'assistant':
      return (turn.calls ?? []).length === 0 && (turn.runId === undefined || turn.status !== undefined);
    case 'tool':
      return false;
  }
};

const plainTurn = ({ at: _at, runId: _run, status: _status, from, ...turn }: ThreadTurn): Turn =>
  turn.role === 'user' && from !== undefined ? { ...turn, from } : turn;

/** Ids that the runtime assigns: a new run would assign the same ones. */
const NUMBERED = /^call_\d+_\d+$/;

/**
 * A history in which call ids are unique and differ from those that the run will assign: providers refuse duplicates, and a lookup would
 * find another call's result. New ids follow from the position, so that the prefix of a growing conversation stays byte-identical.
 */
export const distinctCalls = (history: readonly Turn[]): readonly Turn[] => {
  if (!history.some(hasCalls)) return history;
  const taken = new Set<string>();
  const renamed = new Map<string, string[]>();
  const rename = (id: string, at: string): string => {
    let name = NUMBERED.test(id) || taken.has(id) ? `past_${at}` : id;
    while (taken.has(name)) name = `${name}_`;
    taken.add(name);
    renamed.set(id, [...(renamed.get(id) ?? []), name]);
    return name;
  };
  return history.map((turn, index) => {
    if (hasCalls(turn)) {
      renamed.clear();
      const calls = turn.calls.map((call, at) => ({ ...call, id: rename(call.id, `${index}_${at}`) }));
      return { ...turn, calls };
    }
    const names = isTool(turn) ? renamed.get(turn.callId) : undefined;
    const callId = names?.shift();
    return callId === undefined || !isTool(turn) ? turn : { ...turn, callId };
  });
};

/** JavaScript callers may pass anything as history: invalid turns are reported when the run prepares. */
const hasCalls = (
  turn: Turn,
): turn is AssistantTurn & { readonly calls: NonNullable<AssistantTurn['calls']> } =>
  isObject(turn) && turn.role === 'assistant' && Array.isArray(turn.calls) && turn.calls.every(isObject);

const isTool = (turn: Turn): turn is Extract<Turn, { readonly role: 'tool' }> =>
  isObject(turn) && turn.role === 'tool';
