import type { Json, JsonObject } from '../../../base/json/json.ts';
import type { EventOf } from '../../../contracts/events/event.ts';
import type { UiFinishReason } from './ui-chunk.ts';

type Ended = EventOf<'run.ended'>;

/** The metadata of a message whose run is over: its status, and what the run used. */
export const metadataOf = ({ runId, seq, status, stopReason, totals }: Ended): JsonObject => {
  const { inputTokens, outputTokens, cachedTokens, costUsd, steps, durationMs } = totals;
  return {
    runId,
    seq,
    status,
    stopReason: stopReason.kind,
    usage: {
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      cachedInputTokens: cachedTokens,
    },
    ...(costUsd === undefined ? {} : { costUsd }),
    steps,
    durationMs,
  };
};

/** The metadata of a message whose run waits for people. */
export const waitingMetadata = (runId: string, seq: number): JsonObject => ({
  runId,
  seq,
  status: 'waiting',
});

/** The reason why a message ends with its run. */
export const finishReasonOf = ({ stopReason: { kind } }: Ended): UiFinishReason => REASONS[kind] ?? 'other';

const REASONS: Readonly<Record<string, UiFinishReason | undefined>> = {
  answered: 'stop',
  handedOff: 'stop',
  refused: 'content-filter',
  budget: 'length',
  maxSteps: 'length',
  maxTime: 'length',
  maxTokens: 'length',
  maxToolCalls: 'length',
  maxRounds: 'length',
};

/** The result of a tool as a page reads it: a JSON object or list as such, anything else as its text. */
export const outputOf = (text: string): Json => {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const parsed: Json = JSON.parse(text);
    return parsed;
  } catch {
    return text;
  }
};
