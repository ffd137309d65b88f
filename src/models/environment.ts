/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the variables of the process; none where there is no process (a browser). */
export const processEnvironment = (): Environment => globalThis.process?.env ?? {};

/** Returns a variable's value; an empty one counts as unset. */
export const variable = (environment: Environment, name: string): string | undefined =>
  environment[name]?.trim() || undefined;
