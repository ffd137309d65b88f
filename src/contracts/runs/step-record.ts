import type { SaidCritique } from '../agents/critique.ts';
import type { BranchTaken, TakenDecision } from '../agents/decision.ts';
import type { Json } from '../../base/json/json.ts';
import type { ToolResult } from '../tools/tool-result.ts';

/** One value of the agent's state that a step changed. */
export interface StateChange {
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** The record of one step, from OBSERVE to CHECK_STOP. */
export interface StepRecord {
  /** From 0, within its agent. */
  readonly step: number;
  readonly path: string;
  readonly agent: string;
  readonly observation?: Json | undefined;
  readonly decision?: TakenDecision | undefined;
  /** The branch that the decision was picked from, where it was. */
  readonly branch?: BranchTaken | undefined;
  readonly results: readonly ToolResult[];
  readonly critiques: readonly SaidCritique[];
  /** The keys of the state that changed; empty where none did. */
  readonly diff: Readonly<Record<string, StateChange>>;
  readonly startedAt: number;
  readonly endedAt: number;
}
