/** A payload by its name, and whether it was refused. */
type Attempt = readonly [name: string, isRefused: () => boolean | Promise<boolean>];

/** A row of the checklist: what must be refused, and what must not be. */
export interface Row {
  readonly hostile: readonly Attempt[];
  readonly honest: readonly Attempt[];
}

/** What came of the payloads of a row; those that were judged wrongly by name. */
export interface Tally {
  readonly tried: number;
  readonly refused: number;
  readonly letThrough: readonly string[];
  readonly honest: number;
  readonly wronglyRefused: readonly string[];
}

/** Tries all payloads one after the other, as some of them are about what is left behind. */
export const tally = async ({ hostile, honest }: Row): Promise<Tally> => {
  const namesOf = async (attempts: readonly Attempt[], wanted: boolean): Promise<readonly string[]> => {
    const names: string[] = [];
    for (const [name, isRefused] of attempts) if ((await isRefused()) !== wanted) names.push(name);
    return names;
  };
  const letThrough = await namesOf(hostile, true);
  const wronglyRefused = await namesOf(honest, false);
  const tried = hostile.length;
  return { tried, refused: tried - letThrough.length, letThrough, honest: honest.length, wronglyRefused };
};

/** A row whose payloads are all judged by one test. */
export const rowOf = <Payload>(
  isRefused: (payload: Payload) => boolean | Promise<boolean>,
  hostile: readonly Payload[],
  honest: readonly Payload[],
  nameOf: (payload: Payload) => string = String,
): Row => {
  const attempt = (payload: Payload): Attempt => [nameOf(payload), () => isRefused(payload)];
  return { hostile: hostile.map(attempt), honest: honest.map(attempt) };
};

/** True for what throws or rejects. */
export const throws = async (work: () => unknown): Promise<boolean> => {
  try {
    await work();
    return false;
  } catch {
    return true;
  }
};
