import type { Guard, OwnAct } from './act.ts';

/** One state of a machine, with all that the table has to know of it. */
export class TableState {
  readonly id: string;
  readonly key: string;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final';
  /** Its place in the order in which the chart is written, and that of the last state within it. */
  readonly order: number;
  readonly parent: TableState | undefined;
  readonly output: unknown;
  readonly children: TableState[] = [];
  readonly arrows = new Map<string, readonly TableArrow[]>();
  lastWithin: number;
  entry: readonly OwnAct[] = [];
  exit: readonly OwnAct[] = [];
  always: readonly TableArrow[] = [];
  /** Where a compound state begins, and what it does besides on the way there. */
  initial: TableState | undefined;
  initially: readonly OwnAct[] = [];

  constructor(
    { id, key, type, order, output }: Pick<TableState, 'id' | 'key' | 'type' | 'order' | 'output'>,
    parent: TableState | undefined,
  ) {
    this.id = id;
    this.key = key;
    this.type = type;
    this.order = order;
    this.output = output;
    this.parent = parent;
    this.lastWithin = order;
  }

  get isLeaf(): boolean {
    return this.type === 'atomic' || this.type === 'final';
  }

  /** Everything is within no state at all. */
  isWithin(other: TableState | undefined): boolean {
    return other === undefined || (this.order > other.order && this.order <= other.lastWithin);
  }

  /** The states that hold it, innermost first, up to `end` and without it. */
  *ancestors(end?: TableState): Iterable<TableState> {
    if (this === end) return;
    for (let each = this.parent; each !== undefined && each !== end; each = each.parent) yield each;
  }

  /** The arrows that answer to an event: those of its very name, then wildcards, the longest first. */
  answersTo(type: string): readonly TableArrow[] {
    const wildcards = [...this.arrows]
      .filter(([descriptor]) => descriptor !== type && matches(descriptor, type))
      .sort(([one], [other]) => other.length - one.length)
      .flatMap(([, arrows]) => arrows);
    return [...(this.arrows.get(type) ?? []), ...wildcards];
  }
}

/** One way out of a state, or a reaction within it. */
export interface TableArrow {
  readonly source: TableState;
  readonly guard: Guard | undefined;
  readonly acts: readonly OwnAct[];
  /** Empty where the arrow only acts. */
  readonly targets: readonly TableState[];
  readonly reenters: boolean;
}

/** Only the last token of a descriptor may be a wildcard; it stands for any number of tokens, none included. */
const matches = (descriptor: string, type: string): boolean => {
  if (descriptor === '*') return true;
  if (!descriptor.endsWith('.*')) return false;
  const prefix = descriptor.slice(0, -2);
  if (prefix.split('.').includes('*')) return false;
  return type === prefix || type.startsWith(`${prefix}.`);
};
