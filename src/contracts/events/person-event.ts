import type { Json } from '../../base/json/json.ts';
import type { ErrorData } from '../errors/error-data.ts';
import type { ApprovalTerms, Approver } from '../people/approval-terms.ts';
import type { ApprovalRequest } from '../people/request.ts';

/** A tool call in an event. */
export interface ToolCalled {
  readonly callId: string;
  readonly tool: string;
}

/** A call that a person is asked about; see `OpenRequest`. */
export type PersonCall = ToolCalled &
  ApprovalTerms &
  Pick<ApprovalRequest, 'id' | 'expiresAt' | 'input' | 'description' | 'error'>;

/** A call that a person has approved. */
export interface CallAllowed extends ToolCalled {
  readonly id: string;
  /** The arguments that the call is made with, where a person changed them, and their SHA-256. */
  readonly input?: Json | undefined;
  readonly hash?: string | undefined;
  /** The person who approved it, the last of several; absent where they said no name. */
  readonly by?: Approver | undefined;
}

/** A call that is denied; without an `id` nobody was asked. */
export interface CallDenied extends ToolCalled {
  readonly id?: string | undefined;
  readonly reason?: string | undefined;
  /** The error of the safety strategy, which could not tell. */
  readonly error?: ErrorData | undefined;
  /** The name of the rule that decided, where none was asked. */
  readonly rule?: string | undefined;
  readonly by?: Approver | undefined;
}

/** A question to a person. */
export interface PersonQuestion {
  readonly id: string;
  readonly expiresAt?: number | undefined;
  readonly question: string;
  readonly callId?: string | undefined;
}
