import type { DeltaEvent, LiveEvent } from '../contracts/event.ts';
import { isEndPhase } from './agent-progress.ts';

/** A call of a tool that a model is still writing. */
export interface CallSpeech {
  readonly tool: string | undefined;
  /** Its arguments so far: JSON without its end. */
  readonly input: string;
}

/** What a model is saying, as it comes: gone once it has answered, or what it said was taken back. As the model wrote it. */
export interface Speech {
  /** Of the model call; one that is repeated, or a later one, has another. */
  readonly key: string;
  readonly path: string;
  readonly agent: string;
  readonly step: number | undefined;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly CallSpeech[];
  /** False where a piece is missing, as it came while nobody listened here. */
  readonly isWhole: boolean;
  /** The stream broke: the next attempt goes on from here. */
  readonly isInterrupted: boolean;
}

/** What models are saying after one more event, the newest last; the same array for an event that changes nothing. */
export const foldSpeeches = (speeches: readonly Speech[], event: LiveEvent): readonly Speech[] => {
  switch (event.type) {
    case 'model.delta':
      return withDelta(speeches, event);
    case 'model.answered':
    case 'model.discarded':
    case 'model.failed':
      return without(
        speeches,
        ({ key, isInterrupted, path }) => key === event.key || (isInterrupted && path === event.path),
      );
    case 'model.interrupted': {
      const { key, path, agent, step, text } = event;
      const kept = { ...silence, key, path, agent, step, text, isInterrupted: true };
      return [...speeches.filter((speech) => speech.key !== key), kept];
    }
    // Whoever goes on to something else has no call under way that anybody waits for.
    case 'phase.entered':
      return without(
        speeches,
        ({ path }) => path === event.path || (isEndPhase(event.phase) && path.startsWith(`${event.path}/`)),
      );
    case 'run.ended':
      return speeches.length === 0 ? speeches : NONE;
    case 'observer.dropped':
      return speeches.length === 0 ? speeches : speeches.map((speech) => ({ ...speech, isWhole: false }));
    default:
      return speeches;
  }
};

/** Nobody says anything. */
export const NONE: readonly Speech[] = [];

const silence = { text: '', reasoning: '', calls: [], isWhole: true, isInterrupted: false };

const without = (speeches: readonly Speech[], isOver: (speech: Speech) => boolean): readonly Speech[] => {
  if (!speeches.some(isOver)) return speeches;
  const left = speeches.filter((speech) => !isOver(speech));
  return left.length === 0 ? NONE : left;
};

const withDelta = (speeches: readonly Speech[], event: DeltaEvent): readonly Speech[] => {
  const { key, path, agent, step, delta } = event;
  if (delta.type === 'progress') return speeches;
  const index = speeches.findIndex((speech) => speech.key === key);
  const before = speeches[index] ?? { ...silence, key, path, agent, step };
  const after = said(before, event);
  if (after === before) return speeches;
  if (index >= 0) return speeches.with(index, after);
  // What broke off before is said again by the attempt that goes on from it.
  return [...without(speeches, (speech) => speech.isInterrupted && speech.path === path), after];
};

const said = (speech: Speech, { delta, offset }: DeltaEvent): Speech => {
  if (delta.type === 'progress') return speech;
  const before = delta.type === 'tool-call' ? (speech.calls[delta.index]?.input ?? '') : speech[delta.type];
  const isNew = delta.type === 'tool-call' && speech.calls[delta.index] === undefined;
  if (delta.text === '' && !isNew) return speech;
  // A piece that is missing makes the place of the next one known no more: what comes is only put behind it.
  const isWhole = speech.isWhole && (offset === undefined || offset === before.length);
  const text = before + delta.text;
  if (delta.type !== 'tool-call') return { ...speech, [delta.type]: text, isWhole };
  const calls = [...speech.calls];
  while (calls.length < delta.index) calls.push({ tool: undefined, input: '' });
  calls[delta.index] = { tool: delta.name ?? calls[delta.index]?.tool, input: text };
  return { ...speech, calls, isWhole };
};
