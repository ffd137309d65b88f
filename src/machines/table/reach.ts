import type { TableArrow, TableState } from './table-state.ts';

/** The targets of an arrow, independent of the configuration: the states that it leaves lie within its domain. */
export interface Reach {
  /** Undefined if everything is left, including the root. */
  readonly domain: TableState | undefined;
  readonly entering: ReadonlySet<TableState>;
  /** Those of `entering` that are entered as initial states. */
  readonly byDefault: ReadonlySet<TableState>;
}

const reaches = new WeakMap<TableArrow, Reach>();

/** Computes the reach of an arrow by SCXML's algorithm as in XState; cached. */
export const reachOf = (arrow: TableArrow): Reach => {
  const known = reaches.get(arrow);
  if (known !== undefined) return known;
  const domain = domainOf(arrow);
  const entering = new Entering();
  for (const target of arrow.targets) {
    if (target !== arrow.source || domain !== arrow.source || arrow.reenters) entering.begin(target);
    entering.fill(target);
  }
  for (const target of arrow.targets) {
    const above = [...target.ancestors(domain), ...(domain?.type === 'parallel' ? [domain] : [])];
    entering.add(above, domain);
  }
  const reach = { domain, entering: entering.states, byDefault: entering.byDefault };
  reaches.set(arrow, reach);
  return reach;
};

/** The states of `active` that an arrow leaves. */
export const leftBy = (arrow: TableArrow, active: readonly TableState[]): readonly TableState[] => {
  if (arrow.targets.length === 0) return [];
  const { domain } = reachOf(arrow);
  return active.filter((state) => state.isWithin(domain));
};

const domainOf = ({ source, targets, reenters }: TableArrow): TableState | undefined => {
  if (!reenters && targets.every((target) => target === source || target.isWithin(source))) return source;
  const [head, ...others] = [...targets, source];
  for (const above of head?.ancestors() ?? []) {
    if (others.every((other) => other.isWithin(above))) return above;
  }
  return reenters ? undefined : outermost(source);
};

const outermost = (state: TableState): TableState => [...state.ancestors()].at(-1) ?? state;

class Entering {
  readonly states = new Set<TableState>();
  readonly byDefault = new Set<TableState>();

  begin(state: TableState): void {
    this.states.add(state);
    this.byDefault.add(state);
  }

  /** Adds the states that become active within `state`. */
  fill(state: TableState): void {
    if (state.initial !== undefined) {
      this.begin(state.initial);
      this.fill(state.initial);
    } else if (state.type === 'parallel') {
      for (const child of state.children) {
        if (this.#reaches(child)) continue;
        this.begin(child);
        this.fill(child);
      }
    }
  }

  /** Adds the ancestors of entered states; those outside `domain` are active already. */
  add(above: readonly TableState[], domain: TableState | undefined): void {
    for (const state of above) {
      if (state.isWithin(domain)) this.states.add(state);
      if (state.type !== 'parallel') continue;
      for (const child of state.children) {
        if (this.#reaches(child)) continue;
        this.states.add(child);
        this.fill(child);
      }
    }
  }

  #reaches(region: TableState): boolean {
    for (const state of this.states) if (state.isWithin(region)) return true;
    return false;
  }
}
