import type { LiveEvent } from '../../contracts/events/event.ts';
import { stopWords } from '../drawing/stop-words.ts';

/** The most telling field of an event; for the end of a run or a member, how and why it ended. */
export const eventSummary = (event: LiveEvent): unknown => {
  if (event.type === 'run.ended' || event.type === 'member.ended')
    return event.status === 'completed'
      ? event.status
      : `${event.status}: ${stopWords(event.stopReason, event.error)}`;
  for (const key of [
    'text',
    'description',
    'question',
    'tool',
    'error',
    'output',
    'input',
    'decision',
    'note',
  ]) {
    const value: unknown = Reflect.get(event, key);
    if (value !== undefined && value !== '') return value;
  }
  return '';
};
