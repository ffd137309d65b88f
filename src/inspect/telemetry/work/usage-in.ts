import type { LiveEvent } from '../../../contracts/events/event.ts';
import type { Usage } from '../../../contracts/models/usage.ts';

/** Tokens and money that were used, and by which model. */
export interface Use {
  readonly model: string;
  readonly usage: Usage;
  /** In US dollars; undefined where the price is not known. */
  readonly costUsd: number | undefined;
}

/** The tokens and money that an event reports. */
export const usageIn = (event: LiveEvent): Use | undefined => {
  switch (event.type) {
    case 'model.answered':
    case 'model.discarded':
    case 'model.interrupted':
      return useOf(event.model, event);
    case 'context.compacted':
      return useOf(event.summariser ?? 'summariser', event);
    default:
      return undefined;
  }
};

const useOf = (
  model: string,
  { usage, costUsd }: { readonly usage?: Usage | undefined; readonly costUsd?: number | undefined },
): Use | undefined => usage && { model, usage, costUsd };
