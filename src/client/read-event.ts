import { messageOf, TroupeError } from '../contracts/error.ts';
import type { EVENT_VERSION, LiveEvent } from '../contracts/event.ts';
import { isJsonObject } from '../contracts/json.ts';

/** Its type says so: the constant itself comes with all schemas. */
const VERSION: typeof EVENT_VERSION = 1;

/**
 * Reads an event that came from elsewhere: who and when are checked, the rest is trusted, as the schemas that check it weigh more than
 * all that is done with it here. `parseEvent` checks all of it.
 *
 * @throws {TroupeError} `stream.invalid` for what is no event, or one of another version.
 */
export const readEvent = (text: string): LiveEvent => {
  const value = parsed(text);
  const why = oddity(value);
  if (why !== undefined)
    throw new TroupeError('stream.invalid', `Cannot read an event as ${why}: ${text.slice(0, 100)}`);
  // As far as it was looked at.
  return value as LiveEvent;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    throw new TroupeError('stream.invalid', `Cannot read an event as it is not JSON: ${messageOf(thrown)}`);
  }
};

const oddity = (value: unknown): string | undefined => {
  if (!isJsonObject(value)) return 'it is no object';
  const { v, type, seq, at, runId, path, agent } = value;
  if (v !== VERSION) return `it is of version ${JSON.stringify(v)}, and this release reads ${VERSION}`;
  const isNamed = [type, runId, path, agent].every((name) => typeof name === 'string');
  if (!isNamed || typeof at !== 'number') return 'it does not say who or when';
  return type === 'model.delta' || typeof seq === 'number' ? undefined : 'it has no number';
};
