/** A line of a value that is shown as a tree. */
export interface JsonRow {
  /** The keys that lead there, as one text. */
  readonly path: string;
  readonly depth: number;
  readonly key: string;
  readonly value: unknown;
  /** Number of its parts; undefined for a primitive. */
  readonly size: number | undefined;
  readonly isOpen: boolean;
  /** True if it, or a part of it, has changed. */
  readonly isChanged: boolean;
}

/** Maximum number of parts shown of a list or an object. */
const MOST_PARTS = 500;

/**
 * Returns the lines of a value as a tree: of closed parts only the head.
 *
 * @param before Previous values of top-level parts that changed; a missing part did not change.
 */
export const jsonRows = (
  value: Readonly<Record<string, unknown>>,
  isOpen: (path: string, depth: number, isChanged: boolean) => boolean,
  changed: ReadonlySet<string> = new Set(),
  before: ReadonlyMap<string, unknown> = new Map(),
): readonly JsonRow[] => {
  const rows: JsonRow[] = [];
  const add = (path: string, depth: number, key: string, now: unknown, was: unknown, same: boolean): void => {
    const parts = partsOf(now);
    const isChanged = !same && !isSame(was, now);
    const open = parts !== undefined && parts.length > 0 && isOpen(path, depth, isChanged);
    rows.push({ path, depth, key, value: now, size: parts?.length, isOpen: open, isChanged });
    if (!open) return;
    for (const [name, part] of parts.slice(0, MOST_PARTS))
      add(`${path}/${name}`, depth + 1, name, part, partOf(was, name), !isChanged);
    const rest = parts.length - MOST_PARTS;
    if (rest > 0)
      rows.push({
        path: `${path}/…`,
        depth: depth + 1,
        key: '…',
        value: `and ${rest} more`,
        size: undefined,
        isOpen: false,
        isChanged: false,
      });
  };
  for (const [key, part] of Object.entries(value)) add(key, 0, key, part, before.get(key), !changed.has(key));
  return rows;
};

const partsOf = (value: unknown): readonly (readonly [string, unknown])[] | undefined =>
  typeof value === 'object' && value !== null ? Object.entries(value) : undefined;

const partOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;

/** Checks whether two JSON values are equal. */
export const isSame = (one: unknown, other: unknown): boolean => {
  if (one === other) return true;
  const [parts, others] = [partsOf(one), partsOf(other)];
  if (parts === undefined || others === undefined || parts.length !== others.length) return false;
  return parts.every(([name, part]) => isSame(part, partOf(other, name)));
};
