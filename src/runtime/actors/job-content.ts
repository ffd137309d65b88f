import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { Message } from '../../contracts/messages/message.ts';
import type { Ask } from '../../machines/asks.ts';
import type { Engagement } from '../../machines/outputs.ts';
import type { EffectUnderWay } from '../effects/effect-under-way.ts';
import type { Envelope } from '../turn/envelope.ts';

/** A job without its actor. */
export type JobContent = Work & {
  /** True if it follows from the journal of a resumed run: effects that it leads to may have started before. */
  readonly isResumed?: boolean;
};

type Work =
  | { readonly kind: 'ask'; readonly ask: Ask; readonly epoch: number }
  | { readonly kind: 'deliver'; readonly envelope: Envelope }
  | { readonly kind: 'withdraw'; readonly gone: readonly EffectUnderWay[] }
  | { readonly kind: 'engage'; readonly engagement: Engagement }
  | { readonly kind: 'dismiss' }
  | {
      readonly kind: 'stop';
      readonly paths: readonly string[];
      readonly errors?: Readonly<Record<string, ErrorData>> | undefined;
    }
  | { readonly kind: 'post'; readonly to: string; readonly message: Message }
  /** Delivers the messages that have arrived. */
  | { readonly kind: 'mail' }
  | { readonly kind: 'over'; readonly output: unknown };
