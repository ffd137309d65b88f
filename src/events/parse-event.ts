import * as z from 'zod';
import { TroupeError } from '../contracts/errors/error.ts';
import type { RuntimeEvent } from '../contracts/events/event.ts';
import { inCurrentForm } from '../contracts/events/current-form.ts';
import { EVENT_VERSION } from '../contracts/events/event-version.ts';
import { eventTypes, runtimeEventSchema } from '../contracts/events/event.ts';
import { isJsonObject } from '../base/json/json.ts';
import { printableJson } from '../base/text/printable.ts';

/**
 * Parses and validates an event from JSON: for logs that were written elsewhere, or long ago.
 *
 * Unknown keys are dropped, and events of earlier releases get their names of now.
 *
 * @example
 * const events = lines.map((line) => parseEvent(JSON.parse(line)));
 *
 * @throws {TroupeError} `input.invalid` for no object, an unknown version or type, or a missing or wrong value.
 */
export const parseEvent = (given: unknown): RuntimeEvent => {
  const json = inCurrentForm(given);
  if (!isJsonObject(json)) return refuse('it is not an object', json === null ? 'null' : typeof json);
  const { v: version, type } = json;
  if (version !== EVENT_VERSION) {
    return refuse(`only version ${EVENT_VERSION} is known`, valueText(version));
  }
  if (!eventTypes().has(type)) return refuse('its type is unknown', valueText(type));
  const parsed = runtimeEventSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  return refuse(`it is not a valid ${valueText(type)}`, z.prettifyError(parsed.error));
};

/**
 * Serialises an event as one line of NDJSON, including its line feed: `write(serialiseEvent(event))`.
 *
 * Safe for terminals: control characters and bidirectional marks are escaped as JSON, and parsed back unchanged. Deltas are not logged, and
 * so not accepted.
 */
export const serialiseEvent = (event: RuntimeEvent): string => `${printableJson(event)}\n`;

const refuse = (reason: string, found: string): never => {
  throw new TroupeError('input.invalid', `Cannot read the event as ${reason}: ${found}`);
};

const valueText = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
