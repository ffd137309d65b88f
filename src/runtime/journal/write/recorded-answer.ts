import { keyInRun } from '../../../contracts/effect.ts';
import type { Arrival } from '../../../contracts/journal-record.ts';
import type { EffectAnswer } from '../../effects/effect-under-way.ts';
import type { GoingOn } from './journal-plan.ts';
import type { JournaledRun } from '../resume/journaled-run.ts';
import type { AtEnd } from '../replay/journey.ts';
import type { EffectRecorder } from './recorder.ts';

/** What came of an effect, as its run's journal has it. */
export const recordedAnswer = (key: string, answer: EffectAnswer): Arrival =>
  'error' in answer
    ? { type: 'failed', key, error: answer.error }
    : { type: 'answered', key, output: answer.output };

/** Answers effects with what is in hand for them, and does not do them. */
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
