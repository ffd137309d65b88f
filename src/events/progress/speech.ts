import type { DeltaEvent, LiveEvent } from '../../contracts/events/event.ts';
import { isEndPhase } from './agent-progress.ts';

/** A tool call that a model is streaming. */
export interface CallSpeech {
  readonly tool: string | undefined;
  /** Its arguments so far: incomplete JSON. */
  readonly input: string;
}

/** The streaming output of a model; removed once it has answered or the output was discarded. Unescaped. */
export interface Speech {
  /** Key of the model call; a repeated or later one has another. */
  readonly key: string;
  readonly path: string;
  readonly agent: string;
  readonly step: number | undefined;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly CallSpeech[];
  /** False if a delta is missing. */
  readonly isWhole: boolean;
  /** True if the stream broke; the next attempt continues from here. */
  readonly isInterrupted: boolean;
}

/** Applies an event to the streaming outputs, newest last; the same array if nothing changes. */
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
    // An agent in another phase has no pending call.
    case 'phase.entered':
      return without(
        speeches,
        ({ path }) => path === event.path || (isEndPhase(event.phase) && path.startsWith(`${event.path}/`)),
      );
    case 'run.ended':
      return NONE;
    case 'observer.dropped':
      return speeches.length === 0 ? speeches : speeches.map((speech) => ({ ...speech, isWhole: false }));
    default:
      return speeches;
  }
};

/** No streaming outputs. */
export const NONE: readonly Speech[] = [];

const silence = { text: '', reasoning: '', calls: [], isWhole: true, isInterrupted: false };

const without = (speeches: readonly Speech[], isOver: (speech: Speech) => boolean): readonly Speech[] => {
  if (!speeches.some(isOver)) return speeches;
  const left = speeches.filter((speech) => !isOver(speech));
  return left.length === 0 ? NONE : left;
};

const withDelta = (speeches: readonly Speech[], event: DeltaEvent): readonly Speech[] => {
  const { key, path, agent, step } = event;
  const index = speeches.findIndex((speech) => speech.key === key);
  const before = speeches[index] ?? { ...silence, key, path, agent, step };
  const after = addDelta(before, event);
  if (after === before) return speeches;
  if (index >= 0) return speeches.with(index, after);
  // The continuing attempt streams the interrupted part again.
  return [...without(speeches, (speech) => speech.isInterrupted && speech.path === path), after];
};

const addDelta = (speech: Speech, { delta, offset }: DeltaEvent): Speech => {
  if (delta.type === 'progress') return speech;
  const before = delta.type === 'tool-call' ? (speech.calls[delta.index]?.input ?? '') : speech[delta.type];
  const isNew = delta.type === 'tool-call' && speech.calls[delta.index] === undefined;
  // After a gap the position of later deltas is unknown: they are appended. Who joins again is given all of it once more.
  const kept = before.slice(0, offset);
  const text = kept + delta.text;
  if (text.length <= before.length && !isNew) return speech;
  const isWhole = speech.isWhole && (offset ?? 0) <= before.length;
  if (delta.type !== 'tool-call') return { ...speech, [delta.type]: text, isWhole };
  const calls = [...speech.calls];
  while (calls.length < delta.index) calls.push({ tool: undefined, input: '' });
  calls[delta.index] = { tool: delta.name ?? calls[delta.index]?.tool, input: text };
  return { ...speech, calls, isWhole };
};
