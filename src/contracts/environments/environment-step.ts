import type { Json } from '../../base/json/json.ts';

/** The environment's reaction to an action. */
export interface EnvironmentStep {
  readonly observation?: Json | undefined;
  /** True if the environment is finished: the run ends with it. */
  readonly done?: boolean | undefined;
  readonly reward?: number | undefined;
  readonly info?: Json | undefined;
  /** An internal error: reported, not thrown. */
  readonly error?: string | undefined;
}

/** The environment's reaction to a call, and the reason if that ended it. */
export interface EnvironmentOutcome extends EnvironmentStep {
  readonly end?: { readonly environment: string; readonly detail: string } | undefined;
}
