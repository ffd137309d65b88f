import type { ArrowShape, StateShape } from '../recording/entry.ts';

/** A text on a chart, and the arrows that it is about. */
export interface ArrowLine {
  readonly ids: readonly string[];
  readonly text: string;
  /** The event alone. */
  readonly event: string;
}

/** All that leads from one state to another, as one arrow. */
export interface Way {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly lines: ArrowLine[];
}

const MOST_LINES = 4;
const LONGEST_ROW = 40;

/** Limits a label to the lines that a reader takes in: of many, only their events; the last line says how many were left out. */
export const fewOf = (lines: readonly ArrowLine[]): readonly ArrowLine[] => {
  const said = mergeLines(lines.filter(({ text }) => text !== ''));
  if (said.length <= MOST_LINES) return said;
  const rows = inRows(mergeLines(said.map((line) => ({ ...line, text: line.event || line.text }))));
  if (rows.length <= MOST_LINES) return rows;
  const left = rows.slice(MOST_LINES - 1).flatMap(({ ids }) => ids);
  return [...rows.slice(0, MOST_LINES - 1), { ids: left, text: `and ${left.length} more`, event: '' }];
};

/** Puts short texts beside each other. */
const inRows = (lines: readonly ArrowLine[]): readonly ArrowLine[] => {
  const rows: ArrowLine[] = [];
  for (const line of lines) {
    const last = rows.at(-1);
    const text = last === undefined ? line.text : `${last.text} · ${line.text}`;
    if (last === undefined || text.length > LONGEST_ROW) rows.push(line);
    else rows.splice(-1, 1, { ids: [...last.ids, ...line.ids], text, event: '' });
  }
  return rows;
};

/** Merges lines that say the same. */
const mergeLines = (lines: readonly ArrowLine[]): readonly ArrowLine[] => {
  const merged = new Map<string, ArrowLine>();
  for (const line of lines) {
    const ids = [...(merged.get(line.text)?.ids ?? []), ...line.ids];
    merged.set(line.text, { ...line, ids });
  }
  return [...merged.values()];
};

const textOf = ({ event, guard }: ArrowShape): string =>
  [event, guard === undefined ? '' : `[${guard}]`].join(' ').trim();

export const isBox = ({ states }: StateShape): boolean => states.length > 0;

/** Returns the pseudo-state from which a compound state's own arrows start: they may be taken in any of its states. */
const anywhereIn = (id: string): string => `${id}::anywhere`;

/** Indexes a chart for drawing: its states by id, its transitions, and the states that are entered first. */
export class ChartReader {
  readonly states = new Map<string, StateShape>();
  readonly ways = new Map<string, Way>();
  /** Reactions that do not leave their state. */
  readonly reactions = new Map<string, ArrowLine[]>();
  readonly first = new Set<string>();
  readonly #parents = new Map<string, string>();

  constructor(root: StateShape) {
    this.#read(root);
    for (const state of this.states.values()) for (const arrow of state.arrows) this.#lead(state, arrow);
  }

  /** Returns the parts of a state, with its `anywhere` if an arrow starts there. */
  within(state: StateShape): readonly string[] {
    const anywhere = anywhereIn(state.id);
    const own = state.states.map(({ id }) => id);
    return this.#parents.has(anywhere) ? [...own, anywhere] : own;
  }

  parentOf(id: string): string | undefined {
    return this.#parents.get(id);
  }

  /** Returns the part of a state that is, or contains, another state; undefined if that is outside. */
  childTowards(state: string, id: string): string | undefined {
    let child = id;
    for (let parent = this.parentOf(child); parent !== undefined; parent = this.parentOf(child)) {
      if (parent === state) return child;
      child = parent;
    }
    return undefined;
  }

  #read(state: StateShape, parent?: string): void {
    this.states.set(state.id, state);
    if (parent !== undefined) this.#parents.set(state.id, parent);
    for (const id of state.initial) this.first.add(id);
    for (const child of state.states) this.#read(child, state.id);
  }

  #lead(state: StateShape, arrow: ArrowShape): void {
    const from = isBox(state) ? anywhereIn(state.id) : state.id;
    if (isBox(state)) this.#parents.set(from, state.id);
    const line = { ids: [arrow.id], text: textOf(arrow), event: arrow.event };
    const targets = arrow.targets.filter((to) => to !== state.id && this.states.has(to));
    if (targets.length === 0) {
      const text = arrow.targets.length === 0 ? line.text : `↺ ${line.text}`;
      this.reactions.set(from, [...(this.reactions.get(from) ?? []), { ...line, text }]);
    }
    for (const to of targets) {
      const name = `${from} → ${to}`;
      const known = this.ways.get(name);
      if (known === undefined) this.ways.set(name, { name, from, to, lines: [line] });
      else known.lines.push(line);
    }
  }
}
