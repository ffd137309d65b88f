import type { ThreadTurn } from '../../contracts/thread.ts';
import type { AssistantTurn, Turn } from '../../contracts/transcript.ts';

/** The part of a thread's earlier runs that is shown. */
export type ThreadShown = 'cycles' | 'answers';

/** The turns of a thread as the next run goes on from them. */
export const earlierTurns = (turns: readonly ThreadTurn[], shown: ThreadShown): readonly Turn[] =>
  turns.filter((turn) => shown === 'cycles' || isAnswer(turn)).map(plainTurn);

/** Who speaks to a model within a run, and not to the run. */
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

/** An id that the runtime gave out: the run that begins gives out the same ones. */
const NUMBERED = /^call_\d+_\d+$/;

/**
 * A history in which no two calls have one id, nor one that the run will give to one of its calls: providers refuse those, and
 * whatever looks for the result of a call would find another's. The new ids follow from the place, so that the beginning of a growing
 * conversation stays the same bytes.
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

/** In JavaScript anything may stand in a history: what is no turn is found when the run prepares. */
const hasCalls = (
  turn: Turn,
): turn is AssistantTurn & { readonly calls: NonNullable<AssistantTurn['calls']> } =>
  isObject(turn) && turn.role === 'assistant' && Array.isArray(turn.calls) && turn.calls.every(isObject);

const isTool = (turn: Turn): turn is Extract<Turn, { readonly role: 'tool' }> =>
  isObject(turn) && turn.role === 'tool';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
