import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { AnyStateMachine } from 'xstate';
import type { AgentDefinition } from '../../actors/agent-definition.ts';
import type { Allotment, Budget } from '../../contracts/runs/budget.ts';
import type { DiagramSubject, Flow } from '../../machines/diagrams/composition.ts';
import type { Hook } from '../../contracts/events/event.ts';
import type { AgentMailbox } from '../../contracts/messages/message.ts';
import type { Json } from '../../base/json/json.ts';
import type { MemberPolicy } from '../../contracts/agents/supervision.ts';
import type { SubtreeLimits } from '../../contracts/runs/tree-limits.ts';
import type { Rules } from '../../machines/rules.ts';

/** The place of an actor in a run, known when it starts. */
export interface Placement {
  readonly runId: string;
  readonly path: string;
  readonly at: number;
  /** Earlier turns of the conversation. */
  readonly history?: readonly Turn[] | undefined;
  /** State from earlier runs of its thread, which replaces the defined one. */
  readonly state?: Json | undefined;
  /** Author of the input, if not the user. */
  readonly inputFrom?: string | undefined;
  /** The phase that the work is in. */
  readonly phase?: string | undefined;
  /** Includes the conversation in the outcome. */
  readonly keepsConversation?: boolean | undefined;
  /** By default it reads what people said before it answers. */
  readonly readsPeople?: boolean | undefined;
}

/** An agent or a team as the runtime sees it: its chart, its rules, and its members. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly machine: AnyStateMachine;
  readonly rules: Rules;
  /** Configuration of an agent's effects. Absent for teams, which ask for none. */
  readonly agent: AgentDefinition | undefined;
  readonly members: ReadonlyMap<string, Definition>;
  /** The ways that work takes between its members, where it says so. */
  readonly flow?: Flow | undefined;
  /** The subject of its diagram unless a caller asks for the other. Default: its chart. */
  readonly drawnBy?: DiagramSubject | undefined;
  readonly hooks: readonly Hook[];
  readonly budget?: Budget | undefined;
  readonly mailbox?: AgentMailbox | undefined;
  /** Supervision policy that it wants as a member. */
  readonly asMember?: MemberPolicy | undefined;
  readonly limits?: SubtreeLimits | undefined;
  /** Parts of the budget for its members, by role. */
  readonly allotments?: ReadonlyMap<string, Allotment> | undefined;
  /** Converts a run's input to the machine's. */
  start(input: unknown, placement: Placement): unknown;
}

const definitions = new WeakMap<object, Definition>();

/** Registers the definition of an agent object. */
export const define = (agent: object, definition: Definition): void => {
  definitions.set(agent, definition);
};

/** The definition of an agent object; undefined for an object that only looks like one. */
export const definitionOf = (agent: object): Definition | undefined => definitions.get(agent);
