import { TroupeError } from '../contracts/error.ts';
import type { WaitArrow, WaitKind } from './wait-graph.ts';

/**
 * A circle as the error for whoever would have closed it: it names everybody in it, and what each waits for.
 *
 * @example
 * const circle = graph.add(wait);
 * if (circle !== undefined) throw deadlockError(circle, ({ path }) => path);
 */
export const deadlockError = <Party>(
  circle: readonly WaitArrow<Party>[],
  nameOf: (party: Party) => string,
): TroupeError => {
  const cycle = circle.map(({ from, to, wait: { kind, what } }) => ({
    from: nameOf(from),
    to: nameOf(to),
    kind,
    ...(what === undefined ? {} : { what }),
  }));
  const told = cycle.map(({ from, to, kind, what }) => `'${from}' ${wordsOf(kind, to, what)}`);
  return new TroupeError(
    'wait.deadlock',
    `Cannot wait as nobody would ever go on: ${told.join(', ')}. Answer first, or ask somebody who does not wait for you`,
    { details: { cycle } },
  );
};

const wordsOf = (kind: WaitKind, to: string, what: string | undefined): string => {
  switch (kind) {
    case 'ask':
      return `waits for an answer of '${to}'`;
    case 'child':
      return `waits for '${to}' to end`;
    case 'approval':
      return `waits for a yes of '${to}'`;
    case 'lock':
      return what === undefined ? `waits for the lock '${to}'` : `waits for the lock '${what}' of '${to}'`;
    case 'slot':
      return what === undefined
        ? `waits for a place in '${to}'`
        : `waits for a place in '${what}' of '${to}'`;
  }
};
