import { append, emptyHistory, HistoryView } from '../../src/base/collections/history.ts';
import type {
  Model,
  ModelAnswer,
  ModelCall,
  ModelDelta,
  ModelRequest,
} from '../../src/contracts/models/model.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import type { ToolSpec } from '../../src/contracts/tools/tool-call.ts';

/** A transcript of `turns`. */
export const transcript = (...turns: readonly Turn[]): HistoryView<Turn> =>
  new HistoryView(append(emptyHistory<Turn>(), ...turns));

/** A question with everything else left at its plainest. */
export const question = (parts: Partial<ModelRequest> = {}): ModelRequest => ({
  instructions: 'Be brief.',
  messages: transcript({ role: 'user', text: 'Hello?' }),
  tools: [],
  ...parts,
});

/** A tool that takes a city. */
export const weather: ToolSpec = {
  name: 'weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

export interface Asked {
  readonly answer: Promise<ModelAnswer>;
  readonly deltas: readonly ModelDelta[];
}

/** Asks a model without anything around it, and keeps what it tells on the way. */
export const ask = (
  model: Model,
  request = question(),
  signal: AbortSignal = new AbortController().signal,
  bytesOf?: ModelCall['bytesOf'],
): Asked => {
  const deltas: ModelDelta[] = [];
  const call: ModelCall = {
    key: 'run#1.DECIDE.0.1',
    signal,
    isWatched: true,
    delta: (delta) => deltas.push(delta),
    bytesOf,
  };
  return { answer: (async () => model.answer(request, call))(), deltas };
};

/** All text that was streamed. */
export const streamed = (deltas: readonly ModelDelta[], type: 'text' | 'reasoning'): string =>
  deltas.map((delta) => (delta.type === type ? delta.text : '')).join('');
