import type { ChildTerms } from '../contracts/delegation.ts';
import type { EventBody } from '../contracts/event.ts';
import type { Message } from '../contracts/message.ts';
import type { Ask } from './asks.ts';

/**
 * What a machine wants done. A machine does none of it: it hands these to the carrier of its actor, and is told of
 * the answers by events. A turn collects into a carrier of its own.
 */
export interface Carrier {
  /** Have this work done; each piece is answered by `answered.PORT` or `failed.PORT`, unless it is withdrawn. */
  ask(asks: readonly Ask[]): void;
  /** Nobody waits for the asks of this actor any more. */
  withdraw(): void;
  /** Start these child actors. */
  engage(engagements: readonly Engagement[]): void;
  /** Stop the child actors at these addresses; without any said, all that still run but those that it gave work to. */
  dismiss(paths?: readonly string[]): void;
  /** Put a message into another agent's inbox. */
  post(to: string, message: Message): void;
  /** A state was entered. */
  enter(phase: string, step: number): void;
  /** Something happened that observers should see. */
  emit(body: EventBody, step: number, phase: string | undefined): void;
}

/** A child actor wanted. Its path carries the step, so that no address is ever used twice. */
export interface Engagement {
  readonly path: string;
  /** What is engaged: a member by the name of its definition, or one of the two call machines. */
  readonly actor:
    | { readonly kind: 'member'; readonly name: string }
    | { readonly kind: 'modelCall' | 'toolCall' }
    /** One that a tool of the parent's gives work to. */
    | { readonly kind: 'delegate'; readonly name: string; readonly tool: string };
  readonly input: unknown;
  /** The child's end reaches its parent as `answered.<port>` with this index. */
  readonly port: 'decide' | 'act' | 'member' | 'delegate';
  readonly index: number;
  /** It begins anew what another began. */
  readonly restart?: Restart | undefined;
  readonly terms?: ChildTerms | undefined;
}

/** How a member begins that does what one before it did not come to an end with. */
export interface Restart {
  /** Where the one before it sat. */
  readonly of: string;
  /** From 1. */
  readonly count: number;
  /** Said to it before it begins. */
  readonly note?: string | undefined;
}

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

let collecting: Carrier | undefined;

/** Carries everything that `move` puts out to `carrier`, whatever actor it comes from. */
export const collectingInto = <T>(carrier: Carrier, move: () => T): T => {
  const before = collecting;
  collecting = carrier;
  try {
    return move();
  } finally {
    collecting = before;
  }
};

/** The carrier of the move at hand; one that drops everything where nobody listens (a bare machine). */
export const carrierOf = (_self: object): Carrier => collecting ?? NOBODY;

const ignore = (): void => undefined;
const NOBODY: Carrier = {
  ask: ignore,
  withdraw: ignore,
  engage: ignore,
  dismiss: ignore,
  post: ignore,
  enter: ignore,
  emit: ignore,
};
