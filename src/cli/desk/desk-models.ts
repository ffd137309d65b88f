import type { ModelChoice } from '../../contracts/agent.ts';

/** A model for a role of the desk; a role without one takes the run's, else the environment's. */
export interface DeskModels {
  readonly supervisor?: ModelChoice | undefined;
  readonly researcher?: ModelChoice | undefined;
  readonly writer?: ModelChoice | undefined;
  readonly critic?: ModelChoice | undefined;
}
