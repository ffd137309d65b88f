import type { Entry } from '../recording/entry.ts';
import { clockOf } from './figures.ts';
import { resumedWords } from './folds/resumptions.ts';

/** A position in a recording that one may want to find again. */
export interface Marker {
  readonly n: number;
  readonly kind: 'error' | 'approval' | 'break' | 'resumed' | 'end';
  readonly text: string;
  /** The run that it belongs to. */
  readonly run?: string | undefined;
}

/** The mark of an entry of a run on the timeline. */
export const markerOf = (entry: Entry, run?: string): Marker | undefined => {
  const mark = markFor(entry);
  return mark === undefined ? undefined : { ...mark, run };
};

const markFor = (entry: Entry): Omit<Marker, 'run'> | undefined => {
  if (entry.kind === 'break') return { n: entry.n, kind: 'break', text: entry.why };
  if (entry.kind === 'resumed')
    return {
      n: entry.n,
      kind: 'resumed',
      text: `${resumedWords(entry)} at ${clockOf(entry.at).slice(0, 8)}`,
    };
  if (entry.kind !== 'published') return undefined;
  const { event } = entry;
  const { n } = entry;
  switch (event.type) {
    case 'tool.approval-requested':
    case 'tool.ambiguous':
      return { n, kind: 'approval', text: `${event.agent}: ${event.tool} waits for approval` };
    case 'person.asked':
      return { n, kind: 'approval', text: `${event.agent} asks a person` };
    case 'run.ended':
      return event.status === 'failed'
        ? { n, kind: 'error', text: `${event.agent} failed` }
        : { n, kind: 'end', text: `${event.agent}: ${event.status}` };
    case 'tool.finished':
      return event.ok ? undefined : { n, kind: 'error', text: `${event.agent}: ${event.tool} failed` };
    case 'observer.failed':
      return undefined;
    default:
      return event.type.endsWith('.failed')
        ? { n, kind: 'error', text: `${event.agent}: ${event.type}` }
        : undefined;
  }
};

/** Keeps at most one marker of each kind for each part of the timeline: errors take precedence. */
export const thinMarkers = (
  markers: readonly Marker[],
  first: number,
  length: number,
  parts: number,
): readonly Marker[] => {
  const kept = new Map<string, Marker>();
  for (const marker of markers) {
    if (marker.n < first) continue;
    const part = Math.floor(((marker.n - first) / Math.max(1, length - first)) * parts);
    const place = `${part} ${marker.kind}`;
    if (!kept.has(place)) kept.set(place, marker);
  }
  return [...kept.values()];
};
