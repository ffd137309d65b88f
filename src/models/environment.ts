/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of the process, or none where there is no process (a browser). */
export const processEnvironment = (): Environment => globalThis.process?.env ?? {};

/** A variable's value; one that is set to nothing counts as not set. */
export const variable = (environment: Environment, name: string): string | undefined =>
  environment[name]?.trim() || undefined;
