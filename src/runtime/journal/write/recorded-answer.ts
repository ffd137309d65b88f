import { keyInRun } from '../../../contracts/runs/effect.ts';
import type { Arrival } from '../../../contracts/journals/journal-record.ts';
import type { EffectAnswer } from '../../effects/effect-under-way.ts';
import type { GoingOn } from './journal-plan.ts';
import type { JournaledRun } from '../resume/journaled-run.ts';
import type { AtEnd } from '../replay/replay-context.ts';
import type { EffectRecorder } from './journal-port.ts';

/** The arrival that records the answer of an effect. */
export const recordedAnswer = (key: string, answer: EffectAnswer): Arrival =>
  'error' in answer
    ? { type: 'failed', key, error: answer.error }
    : { type: 'answered', key, output: answer.output };

/** Answers effects from the known answers instead of executing them. */
export const fromHand =
  (
    inHand: GoingOn['inHand'] | undefined,
    run: Pick<JournaledRun, 'effects'>,
    journal: Pick<EffectRecorder, 'settled'>,
  ): AtEnd['answer'] =>
  (entry, ask) => {
    const answer = inHand?.get(keyInRun(ask));
    if (answer === undefined) return false;
    run.effects.answer(entry, ask, answer, journal.settled(entry, ask.key, answer));
    return true;
  };
