import type { EventBody } from '../contracts/event.ts';
import type { Message } from '../contracts/message.ts';
import type { Ask } from './asks.ts';
import type { Carrier, Engagement } from './outputs.ts';

/** What a machine put out while it moved, as data, in order. */
export type Output =
  | { readonly type: 'ask'; readonly asks: readonly Ask[] }
  | { readonly type: 'withdraw' }
  | { readonly type: 'engage'; readonly engagements: readonly Engagement[] }
  | { readonly type: 'dismiss'; readonly paths?: readonly string[] }
  | { readonly type: 'post'; readonly to: string; readonly message: Message }
  | { readonly type: 'enter'; readonly phase: string; readonly step: number }
  | {
      readonly type: 'emit';
      readonly body: EventBody;
      readonly step: number;
      readonly phase: string | undefined;
    };

/** A carrier that only notes what it is handed. */
export const collector = (outputs: Output[]): Carrier => ({
  ask: (asks) => {
    outputs.push({ type: 'ask', asks });
  },
  withdraw: () => {
    outputs.push({ type: 'withdraw' });
  },
  engage: (engagements) => {
    outputs.push({ type: 'engage', engagements });
  },
  dismiss: (paths) => {
    outputs.push(paths === undefined ? { type: 'dismiss' } : { type: 'dismiss', paths });
  },
  post: (to, message) => {
    outputs.push({ type: 'post', to, message });
  },
  enter: (phase, step) => {
    outputs.push({ type: 'enter', phase, step });
  },
  emit: (body, step, phase) => {
    outputs.push({ type: 'emit', body, step, phase });
  },
});

/** Hands outputs to a carrier, in order. */
export const carryOut = (outputs: readonly Output[], carrier: Carrier): void => {
  for (const output of outputs) {
    switch (output.type) {
      case 'ask':
        carrier.ask(output.asks);
        break;
      case 'withdraw':
        carrier.withdraw();
        break;
      case 'engage':
        carrier.engage(output.engagements);
        break;
      case 'dismiss':
        carrier.dismiss(output.paths);
        break;
      case 'post':
        carrier.post(output.to, output.message);
        break;
      case 'enter':
        carrier.enter(output.phase, output.step);
        break;
      case 'emit':
        carrier.emit(output.body, output.step, output.phase);
    }
  }
};
