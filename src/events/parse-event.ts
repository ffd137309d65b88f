import * as z from 'zod';
import { TroupeError } from '../contracts/error.ts';
import type { RuntimeEvent } from '../contracts/event.ts';
import { EVENT_VERSION, eventTypes, runtimeEventSchema } from '../contracts/event.ts';
import { isJsonObject } from '../contracts/json.ts';
import { printableJson } from './printable.ts';

/**
 * The event behind a JSON value, checked: what reads a log that was written elsewhere, or long ago.
 *
 * Keys that this version does not know are left out.
 *
 * @example
 * const events = lines.map((line) => parseEvent(JSON.parse(line)));
 *
 * @throws {TroupeError} `input.invalid` for no object, an unknown version or type, or a missing or wrong value.
 */
export const parseEvent = (json: unknown): RuntimeEvent => {
  if (!isJsonObject(json)) return refuse('it is not an object', json === null ? 'null' : typeof json);
  const { v: version, type } = json;
  if (version !== EVENT_VERSION) {
    return refuse(`only version ${EVENT_VERSION} is known`, shown(version));
  }
  if (!eventTypes().has(type)) return refuse('its type is unknown', shown(type));
  const parsed = runtimeEventSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  return refuse(`it is not a valid ${shown(type)}`, z.prettifyError(parsed.error));
};

/**
 * An event as one line of NDJSON, its line feed included: `write(serialiseEvent(event))`.
 *
 * A terminal may show it: control characters and marks that turn the direction of writing are escaped as JSON has it,
 * and read back as what they were. Deltas are not for logs and so are not taken.
 */
export const serialiseEvent = (event: RuntimeEvent): string => `${printableJson(event)}\n`;

const refuse = (reason: string, found: string): never => {
  throw new TroupeError('input.invalid', `Cannot read the event as ${reason}: ${found}`);
};

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
