import type { ApprovalRequest } from './request.ts';

/** Answers in place of the user of a run. */
export interface Person {
  answer?(question: string, signal: AbortSignal): string | Promise<string>;
  /** True, false, or why not. */
  approve?(request: ApprovalRequest, signal: AbortSignal): boolean | string | Promise<boolean | string>;
}
