import type { Json } from '../../base/json/json.ts';
import type { ErrorData } from '../errors/error-data.ts';
import type { ApprovalTerms, Approver } from './approval-terms.ts';

/**
 * The kind of request to a person: approve a call, answer a question, or decide about a call that may already have been
 * executed.
 */
export type RequestKind = 'approval' | 'question' | 'ambiguous';

interface RequestBase {
  /**
   * The id of an approval is bound to the run, the call, its tool and its arguments, so an answer approves exactly
   * that. Valid for one answer.
   */
  readonly id: string;
  /** Address of the agent: `desk/researcher-1`. */
  readonly path: string;
  readonly agent: string;
  readonly step?: number | undefined;
  /** In ms since 1970, by the run's clock, as is `expiresAt`. */
  readonly askedAt: number;
  /** Time of expiry: the request then counts as denied. Absent if it does not expire. */
  readonly expiresAt?: number | undefined;
}

/**
 * A tool call that waits for approval. One of kind `ambiguous` may have been executed, wholly or in part, before the
 * run was resumed: approving executes it again, denying does not, and the agent is notified that it may have been
 * executed.
 */
export interface ApprovalRequest extends RequestBase, ApprovalTerms {
  readonly kind: 'approval' | 'ambiguous';
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  /** Description for the person. */
  readonly description: string;
  /** The error of the tool's `approval`, which could not tell: a person is asked then. */
  readonly error?: ErrorData | undefined;
  /** Those who have approved it, while it needs more of them. */
  readonly approvedBy?: readonly Approver[] | undefined;
}

/** A question that waits for an answer. */
export interface QuestionRequest extends RequestBase {
  readonly kind: 'question';
  /** The call that asks, where it is one. */
  readonly callId?: string | undefined;
  readonly question: string;
}

/** A request that waits for a person. */
export type OpenRequest = ApprovalRequest | QuestionRequest;

/** A request that nobody waits for any more. */
export interface WithdrawnRequest {
  readonly id: string;
  readonly reason: string;
  /** The error of the `Person` who was asked. */
  readonly error?: ErrorData | undefined;
}

/** Options of requests to people. */
export interface RequestOptions {
  /**
   * Time limit for an answer, in ms; after it a call is denied (`nobody answered in time`), and a question fails.
   * Counted from the time of asking, also while no process holds the run. Default: no limit.
   */
  readonly expireAfterMs?: number | undefined;
}

/** A person's answer to a request, by its id. */
export type RequestAnswer =
  /** With `input`, the call is made with these arguments in place of its own, if they are valid for its tool. */
  | {
      readonly id: string;
      readonly yes: true;
      readonly input?: Json | undefined;
      /** The person who approves; required where the request has `by` or `approvals`. */
      readonly by?: Approver | undefined;
    }
  | {
      readonly id: string;
      readonly yes: false;
      readonly reason?: string | undefined;
      readonly by?: Approver | undefined;
    }
  | { readonly id: string; readonly text: string };

/** Reason given for a request that expired. */
export const EXPIRED = 'nobody answered in time';

/** Reason given where no person can be asked. */
export const NOBODY_THERE = 'nobody is there to approve it';

/** A denial as its model reads it, which cannot tell the words of a person from those of the runtime. */
export const denialText = (reason: string | undefined): string => {
  if (reason === undefined) return 'a person said no';
  const isOfRuntime = reason === EXPIRED || reason.startsWith(NOBODY_THERE);
  return isOfRuntime ? reason : `a person denied it: ${reason}`;
};
