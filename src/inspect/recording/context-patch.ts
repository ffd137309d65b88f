import { isJsonObject } from '../../base/json/json.ts';

/**
 * The patch of a context: its top-level parts that are not identical to those before, as they are shown.
 *
 * Machines of troupe never change a context that they gave, so parts that are the same need not be looked into: a patch
 * costs what is new.
 */
export const patchBetween = (
  before: object | undefined,
  after: object,
): Readonly<Record<string, unknown>> | undefined => {
  let patch: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(after) as readonly [string, unknown][])
    if (before === undefined || Reflect.get(before, key) !== value) (patch ??= {})[key] = shownPart(value);
  return patch;
};

/** Of a list that grows without end only its length is shown, and what was added last. */
const shownPart = (value: unknown): unknown => {
  if (!isGrowingList(value)) return value;
  const last = value.tail.at(-1);
  return { length: value.length ?? value.size ?? 0, ...(last === undefined ? {} : { last }) };
};

/** A persistent list of chunks, as histories and queues are kept. */
interface GrowingList {
  readonly tail: readonly unknown[];
  readonly length?: number;
  readonly size?: number;
}

const isGrowingList = (value: unknown): value is GrowingList =>
  isJsonObject(value) && Array.isArray(value['full']) && Array.isArray(value['tail']);
