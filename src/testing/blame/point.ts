import { agentOf } from '../cassette.ts';
import type { ChosenCall } from '../../contracts/agents/decision.ts';

/** The part of a run that one point is: an answer of a model, a result of a tool, or a message from outside. */
export type PointKind = 'answer' | 'result' | 'message';

/** The words, and of an answer the calls, that a point has. */
export interface Said {
  readonly text: string;
  readonly calls?: readonly ChosenCall[] | undefined;
}

/** A point of a run at which something else could have been said. */
export interface Point {
  readonly kind: PointKind;
  /** Of an answer the key of its decision, of a result the name of its call, of a message its id. */
  readonly key: string;
  readonly agent: string;
  /** Address of the agent. */
  readonly path: string;
  readonly step: number | undefined;
  /** Number of the event that has it. */
  readonly seq: number;
  /** Number of the event that a fork starts before, so that it comes to be asked for again. */
  readonly from: number;
  /** Names of the calls that its agent works for, outermost first. */
  readonly within: readonly string[];
  /** Of a result, the tool. */
  readonly tool?: string | undefined;
  readonly recorded: Said;
}

/** Checks whether the same is said. */
export const isSameSaid = (one: Said, other: Said): boolean =>
  one.text === other.text && JSON.stringify(one.calls ?? []) === JSON.stringify(other.calls ?? []);

/**
 * The key that all attempts of a decision share: a call in trouble is asked by an actor of its own, such as `clerk/~model-0#2.asking.0.3` for
 * `clerk#2.DECIDE.0.1`.
 */
export const decisionKey = (key: string): string => {
  const [address = '', place = ''] = key.split('#');
  return /\/~model-[^/]*$/.test(address)
    ? `${agentOf(address)}#${place.split('.')[0] ?? ''}.DECIDE.0.1`
    : key;
};
