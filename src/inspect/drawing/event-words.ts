import type { StateShape } from '../recording/entry.ts';

const words: Readonly<Record<string, string>> = {
  'answered.*': 'answered',
  'answered.act': 'acted',
  'answered.critique': 'criticised',
  'answered.decide': 'decided',
  'answered.delegate': 'delegated',
  'answered.observe': 'observed',
  'answered.prepare': 'prepared',
  'answered.recover': 'recovered',
  'answered.wake': 'woken',
  'expired.*': 'expired',
  'failed.*': 'failed',
};

/** The type of an event as a reader says it: `decided` for `answered.decide`. */
export const eventWords = (event: string): string =>
  words[event] ?? event.replace(/^(answered|failed)\.(.+)$/, '$2 $1');

/** A chart with its events in words; its arrows keep their ids, which have the types. */
export const chartInWords = (shape: StateShape): StateShape => ({
  ...shape,
  states: shape.states.map(chartInWords),
  arrows: shape.arrows.map((arrow) => ({ ...arrow, event: eventWords(arrow.event) })),
});
