import type { EventBody } from '../../contracts/events/event.ts';
import type { Ask, AskOf } from '../../machines/asks.ts';
import type { Envelope } from '../../runtime/turn/envelope.ts';
import type { Audience } from './audience.ts';
import type { Player } from './world.ts';
import type { CallEnd } from './call-end.ts';

/** The speaker of an event. */
export type Speaker = Pick<Player, 'path' | 'agent'>;

/** The changes of a world that moves, and the desk of calls, make. Equal tokens stand for equal content. */
export interface Floor {
  readonly now: number;
  readonly players: ReadonlyMap<string, Player>;
  readonly audience: Pick<Audience, 'wouldViolate'>;
  /** Lets time pass until `at`. */
  passUntil(at: number): void;
  /** Delivers an answer to an ask, which is pending no longer. */
  answer(path: string, ask: Ask, kind: 'answered' | 'failed', content: object, token?: object): void;
  deliver(path: string, envelope: Envelope, token?: object): void;
  /** Ends a call of a tool. */
  finishCall(player: Player, ask: AskOf<'act' | 'tool'>, result: CallEnd, token: object): void;
  /** A person says yes or no to a call. */
  approveCall(player: Player, ask: AskOf<'approve'>, isApproved: boolean, token: object): void;
  /** Publishes an event to the properties. */
  emit(body: EventBody, speaker: Speaker, token: object, step?: number, phase?: string): void;
}
