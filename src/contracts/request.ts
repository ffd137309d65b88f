import type { Json } from './json.ts';

/** What a person is wanted for: a yes to a call, an answer, or what to do with a call that may have been done already. */
export type RequestKind = 'approval' | 'question' | 'ambiguous';

interface RequestBase {
  /**
   * Of an approval it is bound to the run, the call, its tool and its arguments: whoever answers by it has said yes to exactly that.
   * Good for one answer.
   */
  readonly id: string;
  /** Where the agent sits: `desk/researcher-1`. */
  readonly path: string;
  readonly agent: string;
  readonly step?: number | undefined;
  /** In ms since 1970, by the run's clock, as is `expiresAt`. */
  readonly askedAt: number;
  /** From then on nobody can answer any more, and the answer is no; absent where it waits for as long as it takes. */
  readonly expiresAt?: number | undefined;
}

/**
 * A tool call that waits for a yes. One of kind `ambiguous` may have been done, wholly or in part, before the run was taken up
 * again: yes does it once more, no does not, and the agent is told that it may have been done.
 */
export interface ApprovalRequest extends RequestBase {
  readonly kind: 'approval' | 'ambiguous';
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  /** What a person reads of it. */
  readonly description: string;
}

/** A question that waits for an answer. */
export interface QuestionRequest extends RequestBase {
  readonly kind: 'question';
  /** The call that asks, where it is one. */
  readonly callId?: string | undefined;
  readonly question: string;
}

/** Something that waits for a person. */
export type OpenRequest = ApprovalRequest | QuestionRequest;

/** How requests to people are dealt with. */
export interface RequestOptions {
  /**
   * The time that a person may take, in ms; then a call is denied (`nobody answered in time`), and a question fails. It is counted from
   * when they were asked, also while no process has the run. Default: as long as it takes.
   */
  readonly expireAfterMs?: number | undefined;
}

/** What a person says to a request, by its id. */
export type RequestAnswer =
  /** With `input`, the call is made with these arguments in place of its own, if they fit its tool. */
  | { readonly id: string; readonly yes: true; readonly input?: Json | undefined }
  | { readonly id: string; readonly yes: false; readonly reason?: string | undefined }
  | { readonly id: string; readonly text: string };

/** Why a request was closed without an answer, or denied. */
export const EXPIRED = 'nobody answered in time';
