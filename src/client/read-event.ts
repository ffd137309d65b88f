import { tryRead } from '../base/try-read.ts';
import { TroupeError } from '../contracts/errors/error.ts';
import type { LiveEvent } from '../contracts/events/event.ts';
import { EVENT_VERSION } from '../contracts/events/event-version.ts';
import { isJsonObject } from '../base/json/json.ts';

/**
 * Parses an event from elsewhere: its envelope is validated, the rest is trusted, as the schemas are larger than everything else here.
 * `parseEvent` validates all of it.
 *
 * @throws {TroupeError} `stream.invalid` for what is no event, or one of another version.
 */
export const readEvent = (text: string): LiveEvent => {
  const value = tryRead((): unknown => JSON.parse(text));
  const why = value === undefined ? 'it is not JSON' : oddity(value);
  if (why !== undefined)
    throw new TroupeError('stream.invalid', `Cannot read an event as ${why}: ${text.slice(0, 100)}`);
  // As far as it is validated.
  return value as LiveEvent;
};

const oddity = (value: unknown): string | undefined => {
  if (!isJsonObject(value)) return 'it is not an object';
  const { v, type, seq, at, runId, path, agent } = value;
  if (v !== EVENT_VERSION) return `its version is ${JSON.stringify(v)}, not ${EVENT_VERSION}`;
  const isNamed = [type, runId, path, agent].every((name) => typeof name === 'string');
  if (!isNamed || typeof at !== 'number') return 'it does not say who or when';
  return type === 'model.delta' || typeof seq === 'number' ? undefined : 'it has no number';
};
