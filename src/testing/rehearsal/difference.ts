import type { Json } from '../../base/json/json.ts';

/** The part of a run in which a candidate differs first: a part of the request of a model call, a budget, or else the course of events. */
export type DifferentPart =
  | 'model'
  | 'instructions'
  | 'tools'
  | 'output'
  | 'settings'
  | 'toolChoice'
  | 'messages'
  | 'budget'
  | 'events';

/** The first difference between a recorded run and what a candidate does in its place. */
export interface RunDifference {
  readonly part: DifferentPart;
  /** Number of the first event that is not shared. */
  readonly seq: number;
  /** Address of the agent or team. */
  readonly path: string;
  readonly step: number | undefined;
  /** On record; null for nothing. */
  readonly recorded: Json;
  /** Done by the candidate; null for nothing. */
  readonly found: Json;
}
