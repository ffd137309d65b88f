import type { Approver } from './approval-terms.ts';
import type { ApprovalRequest } from './request.ts';

/** Answers in place of the user of a run. */
export interface Person {
  /** Their name and roles, for calls that need a role or several people. Default: nobody in particular. */
  readonly by?: Approver | undefined;
  answer?(question: string, signal: AbortSignal): string | Promise<string>;
  /** True, false, or why not. */
  approve?(request: ApprovalRequest, signal: AbortSignal): boolean | string | Promise<boolean | string>;
}
