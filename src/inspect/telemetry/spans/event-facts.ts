import type { LiveEvent } from '../../../contracts/events/event.ts';
import { isJsonObject } from '../../../base/json/json.ts';

/** A value without content of a user: a number, a name, a boolean. */
export type Fact = string | number | boolean;

/** Fields of every event: its place and time are added by the caller. */
const places: ReadonlySet<string> = new Set([
  'v',
  'seq',
  'at',
  'type',
  'runId',
  'path',
  'agent',
  'step',
  'phase',
]);

/** Texts that are names and not content: chosen by a program's author, or by the runtime. */
const names: ReadonlySet<string> = new Set([
  'tool',
  'callId',
  'model',
  'key',
  'from',
  'to',
  'member',
  'child',
  'of',
  'id',
  'status',
  'finish',
  'verdict',
  'critic',
  'budget',
  'rule',
  'stage',
  'directive',
  'strategy',
  'decision',
  'limit',
  'observer',
  'memory',
  'work',
  'worker',
  'toolset',
]);

/**
 * Returns an event's facts beside its place and time, without any text of people, models or tools: numbers, names, the
 * code of an error, the kind of a stop reason.
 *
 * @example
 * factsOf(event) // => { tool: 'search', callId: 'call_0_0', ok: false, durationMs: 12, 'error.code': 'tool.failed' }
 */
export const factsOf = (event: LiveEvent): Readonly<Record<string, Fact>> => {
  const facts: Record<string, Fact> = {};
  for (const [name, value] of Object.entries(event)) {
    if (places.has(name)) continue;
    if (typeof value === 'number' || typeof value === 'boolean') facts[name] = value;
    else if (typeof value === 'string' && names.has(name)) facts[name] = value;
    else if (isJsonObject(value)) Object.assign(facts, factsWithin(name, value));
  }
  return facts;
};

/**
 * Returns previews of texts of people, models or tools in an event, shortened by `preview`, which gets each text whole;
 * other values are shown as JSON.
 *
 * @example
 * previewsOf(event, (text) => oneLine(text, 100)) // => { input: '{"city":"Rome"}' }
 */
export const previewsOf = (
  event: LiveEvent,
  preview: (text: string) => string,
): Readonly<Record<string, string>> => {
  const previews: Record<string, string> = {};
  for (const [name, value] of Object.entries(event)) {
    if (places.has(name) || names.has(name) || counted.has(name)) continue;
    if (typeof value === 'string') previews[name] = preview(value);
    else if (name === 'error' && isJsonObject(value) && typeof value['message'] === 'string')
      previews['error.message'] = preview(value['message']);
    else if (typeof value === 'object' && value !== null) previews[name] = preview(JSON.stringify(value));
  }
  return previews;
};

/** Objects of which every value is a fact. */
const counted: ReadonlySet<string> = new Set(['usage', 'totals', 'stopReason']);

const factsWithin = (name: string, value: Readonly<Record<string, unknown>>): Record<string, Fact> => {
  if (name === 'error') return pick(name, value, ['code', 'retryable', 'errorId']);
  if (name === 'stopReason' || name === 'decision') return pick(name, value, ['kind']);
  if (name === 'usage' || name === 'totals') return pick(name, value, Object.keys(value));
  return {};
};

const pick = (
  name: string,
  value: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Record<string, Fact> =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const found = value[key];
      const isFact = typeof found === 'number' || typeof found === 'boolean' || typeof found === 'string';
      return isFact ? [[`${name}.${key}`, found] as const] : [];
    }),
  );
