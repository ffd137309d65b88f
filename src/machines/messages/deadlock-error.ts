import { TroupeError } from '../../contracts/errors/error.ts';
import type { WaitArrow, WaitKind } from './wait-graph.ts';

/** Names for the parties of a cycle. */
export interface PartyNames<Party> {
  readonly nameOf: (party: Party) => string;
  /** Used for parties with the same name. Default: `nameOf`. */
  readonly distinctNameOf?: (party: Party) => string;
}

/**
 * The error of a wait that would close a cycle: it names every party and what each waits for. An agent and the calls that its next step
 * needs count as one.
 *
 * @example
 * const circle = graph.add(wait);
 * if (circle !== undefined) throw deadlockError(circle, { nameOf: ({ path }) => path });
 */
export const deadlockError = <Party>(
  circle: readonly WaitArrow<Party>[],
  names: PartyNames<Party>,
): TroupeError => {
  const arrows = betweenOthers(circle);
  const called = namesFor(
    arrows.map(({ from }) => from),
    names,
  );
  const cycle = arrows.map(({ kind, what }, index) => ({
    from: called[index] ?? '',
    to: called[(index + 1) % called.length] ?? '',
    kind,
    ...(what === undefined ? {} : { what }),
  }));
  const waits = cycle.map(({ from, to, kind, what }) => `'${from}' ${wordsOf(kind, to, what)}`);
  return new TroupeError(
    'wait.deadlock',
    `Cannot wait as nobody would ever go on: ${waits.join(', ')}. Answer first, or ask somebody who does not wait for you`,
    { details: { cycle } },
  );
};

type NamedWait = Exclude<WaitKind, 'call'>;

interface NamedArrow<Party> {
  readonly from: Party;
  readonly kind: NamedWait;
  readonly what: string | undefined;
}

/** Merges the arrows from a party to its own calls. */
const betweenOthers = <Party>(circle: readonly WaitArrow<Party>[]): readonly NamedArrow<Party>[] => {
  const arrows: NamedArrow<Party>[] = [];
  let known: Party | undefined;
  // The first arrow may start at a call whose agent is last.
  const end = circle.findLastIndex(({ wait }) => wait.kind !== 'call') + 1;
  for (const { from, wait } of [...circle.slice(end), ...circle.slice(0, end)]) {
    known ??= from;
    if (wait.kind === 'call') continue;
    arrows.push({ from: known, kind: wait.kind, what: wait.what });
    known = undefined;
  }
  return arrows;
};

const namesFor = <Party>(
  parties: readonly Party[],
  { nameOf, distinctNameOf = nameOf }: PartyNames<Party>,
): readonly string[] => {
  const names = parties.map((party) => nameOf(party));
  return parties.map((party, index) => {
    const name = names[index] ?? '';
    return names.indexOf(name) === names.lastIndexOf(name) ? name : distinctNameOf(party);
  });
};

const wordsOf = (kind: NamedWait, to: string, what: string | undefined): string => {
  switch (kind) {
    case 'ask':
      return `waits for an answer of '${to}'`;
    case 'child':
      return `waits for '${to}' to end`;
    case 'lock':
      return what === undefined ? `waits for the lock '${to}'` : `waits for the lock '${what}' of '${to}'`;
    case 'slot':
      return what === undefined
        ? `waits for a place in '${to}'`
        : `waits for a place in '${what}' of '${to}'`;
  }
};
