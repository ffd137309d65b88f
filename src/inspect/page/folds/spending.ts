import { countBelow } from '../timeline.ts';
import type { Expense, Span, SpanKind, WorkSpans } from './work-spans.ts';
import { endAt } from './work-spans.ts';

/** Time, tokens and money of a part of the work. */
export interface Spent {
  readonly ms: number;
  readonly tokens: number;
  readonly costUsd: number;
}

/** A part of the work and what is in it: an agent, a step, a tool or a model. */
export interface Part {
  /** Unique: the names from the outside in. */
  readonly id: string;
  readonly kind: SpanKind | 'run' | 'step';
  readonly name: string;
  /** The number of times that it was there. */
  readonly count: number;
  /** With all its parts; work beside each other counts separately. */
  readonly spent: Spent;
  /** In order of their first work. */
  readonly parts: readonly Part[];
  /** An actor that it is of, and its first place. */
  readonly actor: string | undefined;
  readonly n: number | undefined;
}

interface Building extends Omit<Part, 'parts' | 'spent' | 'count'> {
  count: number;
  readonly spent: { -readonly [Key in keyof Spent]: number };
  readonly parts: Map<string, Building>;
}

/** The part of a recording that is added up. */
export interface Extent {
  /** The number of entries, and the time after the last of them. */
  readonly length: number;
  readonly now: number;
  /** Of one run, or of all. */
  readonly run?: string | undefined;
}

/**
 * Adds up a recording up to a place: by agent, in it by step, in it by model and tool.
 *
 * A1  Tokens and money of the whole are those of all its calls.
 * A2  The time of an agent is that of its parts, and that in which none of them was at work.
 */
export const spendingAt = (
  { all, expenses }: Pick<WorkSpans, 'all' | 'expenses'>,
  { length, now, run }: Extent,
): Part => {
  const root = emptyPart('', 'run', 'all', undefined, undefined);
  const places = new Map<Span, Building>();
  /** Time of each agent that its parts cover, up to when. */
  const covered = new Map<Span, { ms: number; until: number }>();
  const actors: Span[] = [];
  const partOf = (span: Span): Building => {
    const known = places.get(span);
    if (known !== undefined) return known;
    const { parent, name, kind, actor, n } = span;
    const outer = parent === undefined ? root : partOf(parent);
    const part = partIn(
      outer,
      kind,
      kind === 'agent' || kind === 'team' ? withoutNumber(name) : name,
      actor,
      n,
    );
    places.set(span, part);
    return part;
  };
  const inStep = (owner: Span | undefined, step: number | undefined, n: number): Building => {
    const outer = owner === undefined ? root : partOf(owner);
    return step === undefined ? outer : partIn(outer, 'step', `step ${step + 1}`, owner?.actor, n);
  };
  const begun = all.slice(
    0,
    countBelow(
      all.map(({ n }) => n),
      length,
    ),
  );
  for (const span of begun) {
    const to = endAt(span, length, now);
    if (to === undefined || (run !== undefined && span.run !== run)) continue;
    const { kind, parent, from, name, step, actor, n } = span;
    if (parent !== undefined) {
      const cover = covered.get(parent) ?? { ms: 0, until: parent.from };
      const until = Math.min(to, endAt(parent, length, now) ?? to);
      cover.ms += Math.max(0, until - Math.max(from, cover.until));
      cover.until = Math.max(cover.until, until);
      covered.set(parent, cover);
    }
    if (kind === 'agent' || kind === 'team') {
      partOf(span).count += 1;
      actors.push(span);
      continue;
    }
    const part = partIn(
      inStep(parent, step, n),
      kind,
      kind === 'wait' || kind === 'person' ? waitName(kind) : name,
      actor,
      n,
    );
    part.count += 1;
    part.spent.ms += to - from;
  }
  for (const span of actors) {
    const ms = (endAt(span, length, now) ?? span.from) - span.from - (covered.get(span)?.ms ?? 0);
    partOf(span).spent.ms += Math.max(0, ms);
  }
  for (const expense of expenses) {
    if (expense.n >= length) break;
    if (run === undefined || expense.run === run)
      charge(inStep(expense.owner, expense.step, expense.n), expense);
  }
  return closePart(root);
};

const charge = (outer: Building, { model, tokens, costUsd, owner, n }: Expense): void => {
  const { spent } = partIn(outer, 'model', model, owner?.actor, n);
  spent.tokens += tokens;
  spent.costUsd += costUsd;
};

const waitName = (kind: 'wait' | 'person'): string =>
  kind === 'person' ? 'waiting for a person' : 'waiting';

/** Members that are engaged again have the same name with another number. */
const withoutNumber = (name: string): string => name.replace(/-\d+$/u, '');

const emptyPart = (
  id: string,
  kind: Part['kind'],
  name: string,
  actor: string | undefined,
  n: number | undefined,
): Building => ({
  id,
  kind,
  name,
  actor,
  n,
  count: 0,
  spent: { ms: 0, tokens: 0, costUsd: 0 },
  parts: new Map(),
});

const partIn = (
  outer: Building,
  kind: Part['kind'],
  name: string,
  actor: string | undefined,
  n: number | undefined,
): Building => {
  const key = `${kind} ${name}`;
  let part = outer.parts.get(key);
  if (part === undefined)
    outer.parts.set(key, (part = emptyPart(`${outer.id}\n${key}`, kind, name, actor, n)));
  return part;
};

/** Adds to each part what is in it. */
const closePart = ({ parts, spent, count, ...rest }: Building): Part => {
  const inner = [...parts.values()].map(closePart);
  const sum = (of: keyof Spent): number => inner.reduce((total, part) => total + part.spent[of], spent[of]);
  return {
    ...rest,
    // A step is there once for each of its calls, and no more than that is known of it.
    count: count === 0 ? inner.reduce((total, part) => total + part.count, 0) : count,
    spent: { ms: sum('ms'), tokens: sum('tokens'), costUsd: sum('costUsd') },
    parts: inner,
  };
};
