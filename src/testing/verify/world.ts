import type { RunStatus } from '../../contracts/runs/run-status.ts';
import type { Ask } from '../../machines/asks.ts';
import type { Engagement } from '../../machines/outputs.ts';
import type { PropertyStates } from '../../policy/properties/property-monitor.ts';
import type { TurnRecord } from '../../runtime/turn/turn-record.ts';
import type { Part } from './cast.ts';

/** An actor between two moves. */
export interface Player {
  readonly path: string;
  readonly part: Part;
  /** The agent that it works for: its own name, or that of the agent that made the call. */
  readonly agent: string;
  readonly record: TurnRecord;
  /** The actor that engaged it; absent for the root. */
  readonly sponsor?:
    | { readonly path: string; readonly port: Engagement['port']; readonly index: number }
    | undefined;
  /** Its asks without an answer, oldest first. */
  readonly pending: readonly Ask[];
}

/** A state of a whole run: all actors at rest, each waiting for its environment. A value: a move makes another. */
export interface World {
  /** By address, in the order in which they were engaged. */
  readonly players: ReadonlyMap<string, Player>;
  readonly properties: PropertyStates;
  /** By the clock of the run: it moves on with timers alone. */
  readonly now: number;
  /** Number of events so far. */
  readonly seq: number;
  /** The status with which the run ended; absent while it goes on. */
  readonly ended?: RunStatus | undefined;
}

/** True for the actor of a troubled call. */
export const isCall = ({ sponsor }: Player): boolean => sponsor?.port === 'decide' || sponsor?.port === 'act';

/** The agent that an actor works for. */
export const principalOf = (player: Player, players: ReadonlyMap<string, Player>): Player =>
  (isCall(player) ? players.get(player.sponsor?.path ?? '') : undefined) ?? player;

/** The agents and teams above an agent, the root first. */
export const agentsAbove = ({ sponsor }: Player, players: ReadonlyMap<string, Player>): readonly string[] => {
  const above = sponsor === undefined ? undefined : players.get(sponsor.path);
  return above === undefined ? [] : [...agentsAbove(above, players), above.agent];
};
