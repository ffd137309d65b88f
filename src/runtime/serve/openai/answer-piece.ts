import type { ErrorData } from '../../../contracts/errors/error-data.ts';
import type { OpenRequest } from '../../../contracts/people/request.ts';

/** A call that the client is to run. */
export interface ClientCall {
  /** Its id for the client: it says which run waits. */
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

/** A request to a person, as far as clients see it. */
export type PersonAsked = Pick<OpenRequest, 'id' | 'kind'> & {
  /** The question, or the description of the call. */
  readonly text: string;
  /** The call that is asked about. */
  readonly call?: { readonly name: string; readonly arguments: string } | undefined;
};

/** The tokens of all models, members' included. */
export interface AnswerUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** The end of an answer. */
export interface AnswerEnd {
  /**
   * `limited`: a limit ended the run before its answer. `withheld`: a critic did not accept the answer. `waiting`: for the client, or for a
   * person. `left`: the server left the run to be resumed.
   */
  readonly kind: 'answered' | 'limited' | 'withheld' | 'refused' | 'failed' | 'aborted' | 'waiting' | 'left';
  /** The answer; of a run that waits, what was said with its calls. */
  readonly text: string;
  /** The block that the answer was said in; undefined where there is none. */
  readonly block?: number | undefined;
  readonly calls: readonly ClientCall[];
  readonly requests: readonly PersonAsked[];
  readonly usage: AnswerUsage;
  readonly error?: Pick<ErrorData, 'code' | 'message'> | undefined;
  readonly at: number;
}

/** A piece of an answer as it is made; `seq` is the number of the last event before it. */
export type AnswerPiece = { readonly seq: number } & (
  | { readonly type: 'began'; readonly at: number }
  /** `sent`: the length of the block with this piece. */
  | { readonly type: 'text'; readonly block: number; readonly delta: string; readonly sent: number }
  | {
      readonly type: 'said';
      readonly block: number;
      readonly text: string;
      /** False for what was said on the way to the answer, or was thrown away. */
      readonly isAnswer: boolean;
      /** False for what was thrown away. */
      readonly isWhole: boolean;
    }
  | { readonly type: 'ended'; readonly end: AnswerEnd }
);

/** A piece without the number of its event. */
export type AnswerDraft = AnswerPiece extends infer Piece
  ? Piece extends AnswerPiece
    ? Omit<Piece, 'seq'>
    : never
  : never;
