import type { Guard, OwnAct } from './act.ts';

/** A state of a machine, as the table represents it. */
export class TableState {
  readonly id: string;
  readonly key: string;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final';
  /** Position in document order, and that of the last state within it. */
  readonly order: number;
  readonly parent: TableState | undefined;
  readonly output: unknown;
  readonly children: TableState[] = [];
  readonly arrows = new Map<string, readonly TableArrow[]>();
  lastWithin: number;
  entry: readonly OwnAct[] = [];
  exit: readonly OwnAct[] = [];
  always: readonly TableArrow[] = [];
  /** Initial state of a compound state, and the actions on the way there. */
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

  /** True for `undefined`, which contains everything. */
  isWithin(other: TableState | undefined): boolean {
    return other === undefined || (this.order > other.order && this.order <= other.lastWithin);
  }

  /** Its ancestors, innermost first, up to `end`, exclusive. */
  *ancestors(end?: TableState): Iterable<TableState> {
    if (this === end) return;
    for (let each = this.parent; each !== undefined && each !== end; each = each.parent) yield each;
  }

  /** The arrows for an event: exact matches first, then wildcards, longest first. */
  answersTo(type: string): readonly TableArrow[] {
    const wildcards = [...this.arrows]
      .filter(([descriptor]) => descriptor !== type && matches(descriptor, type))
      .sort(([one], [other]) => other.length - one.length)
      .flatMap(([, arrows]) => arrows);
    return [...(this.arrows.get(type) ?? []), ...wildcards];
  }
}

/** A transition out of a state, or a reaction within it. */
export interface TableArrow {
  /** XState's own object of it, by which inspectors know it; absent for the way into the initial states. */
  readonly written: object | undefined;
  readonly source: TableState;
  readonly guard: Guard | undefined;
  readonly acts: readonly OwnAct[];
  /** Empty for a reaction. */
  readonly targets: readonly TableState[];
  readonly reenters: boolean;
}

/** Only the last token of a descriptor may be a wildcard; it stands for any number of tokens, including none. */
const matches = (descriptor: string, type: string): boolean => {
  if (descriptor === '*') return true;
  if (!descriptor.endsWith('.*')) return false;
  const prefix = descriptor.slice(0, -2);
  if (prefix.split('.').includes('*')) return false;
  return type === prefix || type.startsWith(`${prefix}.`);
};
