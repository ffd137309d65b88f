/** Phases that work may be in, and which may follow which; the first is where it begins. */
export type PhaseMap = Readonly<Record<string, readonly string[]>>;

/**
 * The phases of work from a wish to what was learned of it.
 *
 * The path of quality is execute → verification → chores → reflection; verification may go back to execute as often as it has to.
 */
export const workPhases = {
  chat: ['execute', 'plan', 'brainstorm'],
  brainstorm: ['chat', 'plan', 'execute'],
  plan: ['execute'],
  execute: ['verification', 'chat'],
  verification: ['chores', 'execute', 'chat'],
  chores: ['reflection'],
  reflection: ['chat'],
} as const satisfies PhaseMap;

/** Checks whether work may continue in `to`: to stay in its phase is always allowed, and is a handoff. */
export const mayFollow = (phases: PhaseMap, from: string, to: string): boolean =>
  from === to ? Object.hasOwn(phases, to) : (phases[from] ?? []).includes(to);

/** The problems of a map: phases that lead to one that there is not; empty if there is none. */
export const phaseProblems = (phases: PhaseMap): readonly string[] => {
  const names = Object.keys(phases);
  if (names.length === 0) return ['it has no phase'];
  return Object.entries(phases).flatMap(([from, to]) =>
    to
      .filter((name) => !names.includes(name))
      .map((name) => `'${from}' leads to '${name}', which is no phase`),
  );
};

/** The number of times that work went back from being verified to being done. */
export const reworkIn = (transitions: readonly { readonly from: string; readonly to: string }[]): number =>
  transitions.filter(({ from, to }) => from === 'verification' && to === 'execute').length;
