import type { Message } from '../../contracts/message.ts';
import type { Ask } from '../../machines/asks.ts';
import type { Engagement } from '../../machines/outputs.ts';
import type { EffectUnderWay } from '../effects/effect-under-way.ts';
import type { Envelope } from '../turn/envelope.ts';

/** What can be done for an actor, in its turn. */
export type JobContent = Work & {
  /** It follows from the journal of a run that is resumed: an effect that it leads to may have begun before. */
  readonly isResumed?: boolean;
};

type Work =
  | { readonly kind: 'ask'; readonly ask: Ask; readonly epoch: number }
  | { readonly kind: 'deliver'; readonly envelope: Envelope }
  | { readonly kind: 'withdraw'; readonly gone: readonly EffectUnderWay[] }
  | { readonly kind: 'engage'; readonly engagement: Engagement }
  | { readonly kind: 'dismiss' }
  | { readonly kind: 'stop'; readonly paths: readonly string[] }
  | { readonly kind: 'post'; readonly to: string; readonly message: Message }
  /** It is handed the messages that came in. */
  | { readonly kind: 'mail' }
  | { readonly kind: 'over'; readonly output: unknown };
