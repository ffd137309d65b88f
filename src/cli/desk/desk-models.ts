import type { ModelChoice } from '../../contracts/models/model.ts';

/** Models by role of the desk; a role without one uses the run's, else the environment's. */
export interface DeskModels {
  readonly supervisor?: ModelChoice | undefined;
  readonly researcher?: ModelChoice | undefined;
  readonly writer?: ModelChoice | undefined;
  readonly critic?: ModelChoice | undefined;
}
