import type { MemoryRecord } from '../../contracts/conversations/memory.ts';
import { memoryKinds } from '../../contracts/conversations/memory.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { areOrigins } from '../../contracts/tools/origins.ts';
import { oneLine } from '../processors/truncate-text.ts';

/**
 * Formats records for a model: a heading, then a line each. Empty for no records.
 *
 * @example
 * memoryText([{ kind: 'task', text: 'Remember: the code is 7.', at: 0 }])
 * // => 'From earlier:\nuser: Remember: the code is 7.'
 */
export const memoryText = (records: readonly MemoryRecord[]): string =>
  records.length === 0 ? '' : [HEADING, ...records.map(lineOf)].join('\n');

const HEADING = 'From earlier:';

const lineOf = ({ kind, text }: MemoryRecord): string => `${speakers[kind] ?? kind}: ${oneLine(text, 500)}`;

const speakers: Partial<Record<MemoryRecord['kind'], string>> = { task: 'user', answer: 'assistant' };

/** Parses a record read from a file; undefined if it is invalid. */
export const readRecord = (value: unknown): MemoryRecord | undefined => {
  const plain = toJson(value);
  if (!isJsonObject(plain)) return undefined;
  const { kind, text, at, agent, runId, step, metadata, origins } = plain;
  const known = memoryKinds.find((each) => each === kind);
  if (known === undefined || typeof text !== 'string' || typeof at !== 'number') return undefined;
  return {
    kind: known,
    text,
    at,
    ...(typeof agent === 'string' ? { agent } : {}),
    ...(typeof runId === 'string' ? { runId } : {}),
    ...(typeof step === 'number' ? { step } : {}),
    ...(isJsonObject(metadata) ? { metadata } : {}),
    ...(areOrigins(origins) ? { origins } : {}),
  };
};
