import type { Ending, EndingView, Heuristic } from '../../contracts/agents/ending.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';

/** Options of {@link bySupervisor}. */
export interface SupervisedOptions {
  /** Number of answers sent back in a row without a successful call in between. Default 3. */
  readonly stuckCap?: number | undefined;
  /** Total number of answers sent back. Default 30. */
  readonly cap?: number | undefined;
}

/**
 * Ends by an answer that no heuristic objects to; an objection sends the answer back with a note.
 *
 * It gives up on a model that does not react: the run ends `unresolved` with the answer as the candidate.
 *
 * @example
 * const cites: Heuristic = {
 * name: 'cites',
 * check: ({ text }) => (text.includes('[1]') ? undefined : 'Name your sources.'),
 * };
 * agent({ name: 'researcher', tools: [search, plan], stop: { ends: bySupervisor([cites, unfinishedPlan]) } });
 *
 * @throws {TroupeError} `agent.invalid` for caps that are no whole numbers from 1, or two heuristics of one name.
 */
export const bySupervisor = (
  heuristics: readonly Heuristic[],
  { stuckCap = 3, cap = 30 }: SupervisedOptions = {},
): Ending => {
  const names = new Set(heuristics.map(({ name }) => name));
  if (![stuckCap, cap].every((each) => Number.isSafeInteger(each) && each >= 1))
    throw new TroupeError(
      'agent.invalid',
      `Cannot supervise endings as its caps are not whole numbers from 1: found ${foundText(stuckCap)}, ${foundText(cap)}`,
    );
  if (names.size < heuristics.length)
    throw new TroupeError('agent.invalid', 'Cannot supervise endings as two heuristics have one name');
  const ofCalls = heuristics.filter(({ on }) => on === 'calls');
  const ofAnswers = heuristics.filter(({ on }) => on !== 'calls');
  return {
    name: 'bySupervisor',
    answered: (view) => {
      const found = view.isLast ? undefined : firstNote(ofAnswers, view);
      if (found === undefined) return { kind: 'end' };
      const isHopeless = view.stuck >= stuckCap || view.sentBack >= cap;
      return { kind: isHopeless ? 'giveUp' : 'goOn', ...found };
    },
    ...(ofCalls.length === 0
      ? {}
      : {
          acted: (view) => {
            const found = firstNote(ofCalls, view);
            return found === undefined ? undefined : { kind: 'goOn', ...found };
          },
        }),
  };
};

const firstNote = (
  heuristics: readonly Heuristic[],
  view: EndingView,
): { readonly note: string; readonly by: string } | undefined => {
  for (const heuristic of heuristics) {
    const { name, on, mode = on === 'calls' ? 'once' : 'repeat' } = heuristic;
    if (mode === 'once' && view.spoken.includes(name)) continue;
    const note = heuristic.check(view);
    if (note !== undefined) return { note, by: name };
  }
  return undefined;
};
