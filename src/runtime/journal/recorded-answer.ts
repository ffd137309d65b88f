import type { Arrival } from '../../contracts/journal-record.ts';
import type { EffectAnswer } from '../stage.ts';

/** What came of an effect, as its run's journal has it. */
export const recordedAnswer = (key: string, answer: EffectAnswer): Arrival =>
  'error' in answer
    ? { type: 'failed', key, error: answer.error }
    : { type: 'answered', key, output: answer.output };
