import type { PatternNode } from './pattern-tree.ts';
import { parsePattern } from './pattern-tree.ts';

/** A match that takes more steps is abandoned. */
const MOST_STEPS = 4_000_000;
/** Steps of a program: counts are written out, and counts of counts multiply. */
const LONGEST_PROGRAM = 20_000;
/** Groups within groups. */
const DEEPEST = 200;

/** The steps that are left for matches that belong together. */
export interface Allowance {
  left: number;
}

/** A regular expression from an untrusted source. */
export interface LinearPattern {
  /** Checks whether it matches somewhere in the text; undefined where that takes too long, by itself or with those before it. */
  test(text: string, allowance?: Allowance): boolean | undefined;
  /** Returns the first match in the text; undefined if there is none, or the search exceeds its limit. */
  find(text: string): string | undefined;
}

/**
 * Compiles a regular expression, in JavaScript's syntax, to a matcher whose time is proportional to the text and the
 * pattern: with JavaScript's own, a foreign pattern can, by malice or accident, run for ever (`^(a+)+$`). With
 * lookarounds the time can grow with the square of the text, and is bounded.
 *
 * Undefined if the pattern is invalid, or cannot be bounded: back-references, modifiers, and counts that make it very
 * long.
 *
 * @example
 * linearPattern('^(a+)+$')?.test(`${'a'.repeat(100)}!`) // => false
 */
export const linearPattern = (source: string): LinearPattern | undefined => {
  if (known.has(source)) return known.get(source);
  if (known.size >= MOST_REMEMBERED) known.clear();
  const pattern = patternOf(source);
  known.set(source, pattern);
  return pattern;
};

const known = new Map<string, LinearPattern | undefined>();
const MOST_REMEMBERED = 200;

const patternOf = (source: string): LinearPattern | undefined => {
  const flags = ['u', ''].find((each) => isReadable(source, each));
  if (flags === undefined) return undefined;
  const tree = parsePattern(source, flags === 'u');
  const program = tree === undefined ? undefined : compile(tree, flags);
  if (program === undefined) return undefined;
  const unitsOf = (text: string): readonly string[] => (flags === 'u' ? Array.from(text) : text.split(''));
  return {
    test: (text, allowance) => {
      const most = Math.min(MOST_STEPS, allowance?.left ?? MOST_STEPS);
      const matching = new Matching(unitsOf(text), most);
      const found = matching.search(program, { from: 0, isAnchored: false, anyEnd: true });
      if (allowance !== undefined) allowance.left -= most - matching.left;
      return found === 'too long' ? undefined : found !== undefined;
    },
    find: (text) => {
      const units = unitsOf(text);
      const found = new Matching(units, MOST_STEPS).search(program, {
        from: 0,
        isAnchored: false,
        anyEnd: false,
      });
      if (found === undefined || found === 'too long') return undefined;
      return units.slice(found.start, found.end).join('');
    },
  };
};

const isReadable = (source: string, flags: string): boolean => {
  try {
    void new RegExp(source, flags);
    return true;
  } catch {
    // Other languages allow escapes that `u` refuses.
    return false;
  }
};

type Step =
  | { readonly type: 'set'; readonly has: (unit: string) => boolean }
  /** Continues at each place, the first one first. */
  | { readonly type: 'split'; readonly to: number[] }
  | { readonly type: 'check'; readonly node: Extract<PatternNode, { type: 'start' | 'end' | 'edge' }> }
  | { readonly type: 'look'; readonly isWanted: boolean; readonly program: Program }
  | { readonly type: 'match' };

interface Program {
  readonly steps: readonly Step[];
  /** Matched from left to right, or what lies before a place from right to left. */
  readonly isForward: boolean;
}

const compile = (tree: PatternNode, flags: string): Program | undefined => {
  const budget = { left: LONGEST_PROGRAM };
  const sets = new Map<string, (unit: string) => boolean>();
  const setOf = (source: string): ((unit: string) => boolean) => {
    const known = sets.get(source) ?? characterSet(source, flags);
    sets.set(source, known);
    return known;
  };
  const programOf = (root: PatternNode, isForward: boolean, outer: number): Program | undefined => {
    const steps: Step[] = [];
    const add = (step: Step): boolean => {
      steps.push(step);
      budget.left -= 1;
      return budget.left >= 0;
    };
    /** Adds the steps of a part; false where they are too many. */
    const write = (node: PatternNode, depth: number): boolean => {
      if (depth > DEEPEST) return false;
      switch (node.type) {
        case 'set':
          return add({ type: 'set', has: setOf(node.source) });
        case 'sequence': {
          const parts = isForward ? node.parts : node.parts.toReversed();
          return parts.every((part) => write(part, depth + 1));
        }
        case 'choice': {
          const split: number[] = [];
          const ends: number[][] = [];
          if (!add({ type: 'split', to: split })) return false;
          for (const part of node.parts) {
            split.push(steps.length);
            const end: number[] = [];
            if (!write(part, depth + 1) || !add({ type: 'split', to: end })) return false;
            ends.push(end);
          }
          for (const end of ends) end.push(steps.length);
          return true;
        }
        case 'repeat': {
          const { part, least, most, isLazy } = node;
          for (let count = 0; count < least; count += 1) {
            const before = steps.length;
            if (!write(part, depth + 1)) return false;
            // An empty repetition adds nothing.
            if (steps.length === before) break;
          }
          const ends: { readonly to: number[]; readonly inner: number }[] = [];
          const optional = (): boolean => {
            const to: number[] = [];
            if (!add({ type: 'split', to })) return false;
            ends.push({ to, inner: steps.length });
            return write(part, depth + 1);
          };
          if (most === Infinity) {
            const begin = steps.length;
            if (!optional() || !add({ type: 'split', to: [begin] })) return false;
          } else for (let count = least; count < most; count += 1) if (!optional()) return false;
          for (const { to, inner } of ends)
            to.push(...(isLazy ? [steps.length, inner] : [inner, steps.length]));
          return true;
        }
        case 'start':
        case 'end':
        case 'edge':
          return add({ type: 'check', node });
        case 'look': {
          const program = programOf(node.part, node.isAhead, depth + 1);
          return program !== undefined && add({ type: 'look', isWanted: node.isWanted, program });
        }
      }
    };
    if (!write(root, outer) || !add({ type: 'match' })) return undefined;
    return { steps, isForward };
  };
  return programOf(tree, true, 0);
};

/** Checks single characters as JavaScript does, each once. */
const characterSet = (source: string, flags: string): ((unit: string) => boolean) => {
  if (!/[\\[.]/.test(source)) return (unit) => unit === source;
  const expression = new RegExp(`^(?:${source})$`, flags);
  const known = new Map<string, boolean>();
  return (unit) => {
    const before = known.get(unit);
    if (before !== undefined) return before;
    const isIn = expression.test(unit);
    if (known.size < MOST_KNOWN) known.set(unit, isIn);
    return isIn;
  };
};

const MOST_KNOWN = 1_000;
const WORD = /^\w$/;

/** Position of a match, in units. */
interface Found {
  readonly start: number;
  readonly end: number;
}

/** The start of a match, and which of its ends is needed. */
interface Wish {
  readonly from: number;
  /** Match only at `from`. */
  readonly isAnchored: boolean;
  /** Any match will do, not only the one that JavaScript finds. */
  readonly anyEnd: boolean;
}

/** Active places of a program, each with the start of its match, in the order in which JavaScript tries them. */
interface Threads {
  readonly at: number[];
  readonly starts: number[];
}

/** Matches programs against a text: all alternatives in parallel, none visited twice. */
class Matching {
  readonly #units: readonly string[];
  /**
   * For each step of a program the last position at which it was active: shared by lookarounds, which start at many
   * positions.
   */
  readonly #seen = new Map<Program, Int32Array>();
  /** Numbers the places that are visited: each visit of a place has its own. */
  #visit = 0;
  /** Steps that it may still take. */
  left: number;

  constructor(units: readonly string[], most: number) {
    this.#units = units;
    this.left = most;
  }

  search(program: Program, { from, isAnchored, anyEnd }: Wish): Found | 'too long' | undefined {
    const { steps, isForward } = program;
    const by = isForward ? 1 : -1;
    const last = isForward ? this.#units.length : 0;
    const seen = this.#seen.get(program) ?? new Int32Array(steps.length);
    this.#seen.set(program, seen);
    let visit = (this.#visit += 1);
    let now: Threads = { at: [], starts: [] };
    let next: Threads = { at: [], starts: [] };
    let found: Found | undefined;
    for (let place = from; ; place += by) {
      const isBeginning = place === from || (!isAnchored && found === undefined);
      if (isBeginning && !this.#reach(steps, { place, visit, start: place, step: 0, seen, now }))
        return 'too long';
      visit = this.#visit += 1;
      if (now.at.length === 0 && (isAnchored || found !== undefined)) return found;
      const unit = this.#units[isForward ? place : place - 1];
      // Both loops run millions of times: iterators and copies would be half of their time.
      for (let index = 0; index < now.at.length; index += 1) {
        const at = now.at[index] ?? 0;
        const step = steps[at];
        const start = now.starts[index] ?? from;
        if (step?.type === 'match') {
          found = { start, end: place };
          if (anyEnd) return found;
          // What comes after it in order is never preferred to it.
          break;
        }
        if (step?.type !== 'set' || unit === undefined || place === last || !step.has(unit)) continue;
        const reached = { place: place + by, visit, start, step: at + 1, seen, now: next };
        if (!this.#reach(steps, reached)) return 'too long';
      }
      if (place === last) return found;
      now.at.length = 0;
      now.starts.length = 0;
      [now, next] = [next, now];
    }
  }

  /** Adds the steps reachable without consuming a character; false if that takes too long. */
  #reach(
    steps: readonly Step[],
    {
      place,
      visit,
      start,
      step: first,
      seen,
      now,
    }: {
      readonly place: number;
      readonly visit: number;
      readonly start: number;
      readonly step: number;
      readonly seen: Int32Array;
      readonly now: Threads;
    },
  ): boolean {
    const waiting = [first];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      this.left -= 1;
      if (this.left < 0) return false;
      if (seen[at] === visit) continue;
      seen[at] = visit;
      const step = steps[at];
      if (step === undefined) continue;
      if (step.type === 'split') {
        for (let index = step.to.length - 1; index >= 0; index -= 1) waiting.push(step.to[index] ?? 0);
      } else if (step.type === 'check') {
        if (this.#holds(step.node, place)) waiting.push(at + 1);
      } else if (step.type === 'look') {
        const found = this.search(step.program, { from: place, isAnchored: true, anyEnd: true });
        if (found === 'too long') return false;
        if ((found !== undefined) === step.isWanted) waiting.push(at + 1);
      } else {
        now.at.push(at);
        now.starts.push(start);
      }
    }
    return true;
  }

  #holds(node: Extract<PatternNode, { type: 'start' | 'end' | 'edge' }>, place: number): boolean {
    if (node.type === 'start') return place === 0;
    if (node.type === 'end') return place === this.#units.length;
    const isWord = (unit: string | undefined): boolean => unit !== undefined && WORD.test(unit);
    return (isWord(this.#units[place - 1]) !== isWord(this.#units[place])) === node.isEdge;
  }
}
