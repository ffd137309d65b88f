import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { Ask } from '../../machines/asks.ts';
import type { Engagement } from '../../machines/outputs.ts';
import type { Envelope } from '../../runtime/turn/envelope.ts';

/** Something that is to be done for the actor at an address, as a run has it in its queue. */
export type Job = { readonly path: string } & (
  | { readonly kind: 'ask'; readonly ask: Ask; readonly epoch: number }
  | { readonly kind: 'deliver'; readonly envelope: Envelope; readonly token: object | undefined }
  | { readonly kind: 'engage'; readonly engagement: Engagement }
  | StopJob
  | { readonly kind: 'over' }
);

/** Stops actors below the one at `path`. */
export interface StopJob {
  readonly kind: 'stop';
  /** Default: all that are running except delegates. */
  readonly paths?: readonly string[] | undefined;
  readonly errors?: Readonly<Record<string, ErrorData>> | undefined;
}
