import type { JsonObject } from '../../src/base/json/json.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import type { Reply } from './mock-provider.ts';
import type { AnyRecording } from './provider-streams.ts';
import type { WireAnswer } from './wire-answers.ts';

/** What a model says in one piece of its provider's own stream. */
export type Says = (answer: WireAnswer) => Reply;

/** A provider as it is asked: one row of the matrix in `docs/providers.md`. */
export interface MatrixRow {
  readonly name: string;
  readonly make: (url: string) => Model;
  /** An answer in the form of its stream. */
  readonly says: Says;
  /** An answer that thinks `THOUGHT` first and then calls the weather, in its own form. Default: that of `says`. */
  readonly thinks?: Reply;
  /** What goes back of a thought: a text that the next request has. Default `THOUGHT`. */
  readonly proof?: string;
  /** A tool that it runs, and a text of the request that declares it. */
  readonly runs?: readonly [tool: JsonObject, declared: string];
  /** Whether it reads a recorded answer at all. Default: each. */
  readonly reads?: (recorded: AnyRecording) => boolean;
}
