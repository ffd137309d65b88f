import type { JsonObject } from '../../base/json/json.ts';

/** One request of a batch. */
export interface BatchRequest {
  /** By which its result is recognized: `custom_id`, of 64 letters and digits. */
  readonly id: string;
  readonly body: JsonObject;
}

/** A batch, as its provider describes it. */
export interface BatchReport {
  readonly id: string;
  /** True once no result is added any more. */
  readonly hasEnded: boolean;
  /** The files that hold its results. */
  readonly files: readonly string[];
  /**
   * The reason for which a request has no result; undefined if each has to have one. `line` is its place among the requests, from 1, if it
   * is known.
   */
  readonly whyWithout?: ((line: number | undefined) => Error) | undefined;
}

/** The result of one request: the body of an answer, or what the provider says instead, as its SDK would throw it. */
export type BatchResult =
  | { readonly id: string; readonly body: JsonObject }
  | { readonly id: string; readonly thrown: unknown };

/** The options of one request to the service. */
export interface BatchSend {
  readonly signal: AbortSignal;
  readonly headers?: Record<string, string> | undefined;
}

/** A provider's batches. Every method rejects with what the provider's SDK throws, or with a TroupeError. */
export interface BatchService {
  /** The bounds of one batch. */
  readonly most: { readonly requests: number; readonly bytes: number };
  /**
   * Submits a batch with a mark by which it can be found.
   *
   * @throws (rejects with) {@link UnsureSubmission} if the batch may exist all the same.
   */
  submit(requests: readonly BatchRequest[], mark: string, send: BatchSend): Promise<BatchReport>;
  /** Ids of the batches that may be the one of that mark, which was submitted at about `at` (in ms since 1970), if it was. */
  find(mark: string, at: number, send: BatchSend): Promise<readonly string[]>;
  report(id: string, send: BatchSend): Promise<BatchReport>;
  /** The lines of a file of results. */
  lines(file: string, send: BatchSend): Promise<Response>;
  /** Reads one line; undefined if it does not say whose result it is. */
  result(line: JsonObject, batch: string): BatchResult | undefined;
  cancel(id: string, send: BatchSend): Promise<void>;
}

/** The error of a submission that failed in such a way that the batch may exist all the same. */
export class UnsureSubmission extends Error {
  override readonly name: string = 'UnsureSubmission';
}
