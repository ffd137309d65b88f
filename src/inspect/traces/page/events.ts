import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import { activityOf } from '../../../events/progress/activity.ts';
import { oneLine } from '../../../base/text/printable.ts';
import type { Markup } from './markup.ts';
import { dataBlock, grouped, markup, lasting } from './markup.ts';

/** So many events are shown, half of them the first, half the last. */
const SHOWN = 4_000;

/** All events, a line each that unfolds to its data. */
export const eventRows = (events: readonly RuntimeEvent[]): Markup => {
  const startedAt = events[0]?.at ?? 0;
  const rows = events.map((event, index) => ({ event, index }));
  if (rows.length <= SHOWN) return markup`${rows.map(({ event, index }) => row(event, index, startedAt))}`;
  const half = SHOWN / 2;
  return markup`${rows.slice(0, half).map(({ event, index }) => row(event, index, startedAt))}
    <p class="note">${grouped(rows.length - SHOWN)} events are not shown: they are in the trace</p>
    ${rows.slice(-half).map(({ event, index }) => row(event, index, startedAt))}`;
};

const row = (event: RuntimeEvent, index: number, startedAt: number): Markup => {
  const { seq, type, path, at } = event;
  const words = activityOf(event)?.text ?? briefly(event);
  const phase = event.phase ?? '';
  return markup`<details class="row${isBad(event) ? ' bad' : ''}" data-at="${index}" data-phase="${phase}" data-type="${type}">
    <summary>
      <span class="seq">${seq}</span>
      <span class="when">+${lasting(at - startedAt)}</span>
      <span class="type">${type}</span>
      <span class="path">${path}</span>
      <span class="words">${words}</span>
    </summary>
    ${dataBlock(event)}
  </details>
  `;
};

/** Checks whether something went wrong, as it tells. */
const isBad = (event: RuntimeEvent): boolean =>
  ('error' in event && event.error !== undefined) ||
  (event.type === 'tool.finished' && !event.ok) ||
  (event.type === 'agent.critiqued' && event.verdict !== 'accept');

/** What an event says that people need not hear of while a run goes on. */
const briefly = (event: RuntimeEvent): string => {
  switch (event.type) {
    case 'phase.entered':
      return event.phase;
    case 'agent.decided':
      return event.decision.kind;
    case 'model.answered':
    case 'tool.finished':
      return oneLine(event.text);
    case 'step.ended':
      return `step ${event.record.step}`;
    default:
      return '';
  }
};
