import type { ChildTerms } from '../contracts/tools/delegation.ts';
import type { ErrorData } from '../contracts/errors/error-data.ts';
import type { EventBody } from '../contracts/events/event.ts';
import type { Message } from '../contracts/messages/message.ts';
import type { Ask } from './asks.ts';

/** Carries out the outputs of a machine: the machine does no work itself, and gets answers as events. */
export interface Carrier {
  /** Asks for effects; each is answered by `answered.PORT` or `failed.PORT`, unless it is withdrawn. */
  ask(asks: readonly Ask[]): void;
  /** Withdraws the asks of this actor. */
  withdraw(): void;
  /** Starts child actors. */
  engage(engagements: readonly Engagement[]): void;
  /** Stops the child actors at these addresses; without any, all that are running except delegates. Those with an error have failed. */
  dismiss(paths?: readonly string[], errors?: Readonly<Record<string, ErrorData>>): void;
  /** Sends a message to another agent's inbox. */
  post(to: string, message: Message): void;
  /** Reports that a state was entered. */
  enter(phase: string, step: number): void;
  /** Emits an event for observers. */
  emit(body: EventBody, step: number, phase: string | undefined): void;
}

/** A request for a child actor. Its path contains the step, so that no address is used twice. */
export interface Engagement {
  readonly path: string;
  /** The kind of child: a member by the name of its definition, or one of the two call machines. */
  readonly actor:
    | { readonly kind: 'member'; readonly name: string }
    | { readonly kind: 'modelCall' | 'toolCall' }
    /** A delegate of one of the parent's tools. */
    | { readonly kind: 'delegate'; readonly name: string; readonly tool: string };
  readonly input: unknown;
  /** The port of the answer to the parent, `answered.<port>`, with this index. */
  readonly port: 'decide' | 'act' | 'member' | 'delegate';
  readonly index: number;
  /** Set if it replaces a failed child. */
  readonly restart?: Restart | undefined;
  readonly terms?: ChildTerms | undefined;
}

/** Data for the restart of a member. */
export interface Restart {
  /** Address of its predecessor. */
  readonly of: string;
  /** From 1. */
  readonly count: number;
  /** A note to it before it starts. */
  readonly note?: string | undefined;
}

/** An output of a machine, as data. */
export type Output =
  | { readonly type: 'ask'; readonly asks: readonly Ask[] }
  | { readonly type: 'withdraw' }
  | { readonly type: 'engage'; readonly engagements: readonly Engagement[] }
  | {
      readonly type: 'dismiss';
      readonly paths?: readonly string[];
      readonly errors?: Readonly<Record<string, ErrorData>> | undefined;
    }
  | { readonly type: 'post'; readonly to: string; readonly message: Message }
  | { readonly type: 'enter'; readonly phase: string; readonly step: number }
  | {
      readonly type: 'emit';
      readonly body: EventBody;
      readonly step: number;
      readonly phase: string | undefined;
    };

/** Passes outputs to a carrier, in order. */
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
        carrier.dismiss(output.paths, output.errors);
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
