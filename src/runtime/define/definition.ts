import type { AnyStateMachine } from 'xstate';
import type { AgentDefinition } from '../../actors/agent-definition.ts';
import type { Allotment, Budget } from '../../contracts/budget.ts';
import type { Hook } from '../../contracts/event.ts';
import type { AgentMailbox } from '../../contracts/message.ts';
import type { Json } from '../../contracts/json.ts';
import type { RunOptions } from '../../contracts/run.ts';
import type { MemberPolicy } from '../../contracts/supervision.ts';
import type { SubtreeLimits } from '../../contracts/tree-limits.ts';
import type { Rules } from '../../machines/rules.ts';

/** What an actor is to know of its place when it starts. */
export interface Placement {
  readonly runId: string;
  readonly path: string;
  readonly at: number;
  /** Earlier turns of the conversation. */
  readonly history?: RunOptions['history'];
  /** The state that earlier runs of its thread left, in place of the one that it is defined with. */
  readonly state?: Json | undefined;
  /** The author of the input, where that is not the user. */
  readonly inputFrom?: string | undefined;
  /** The phase that the work is in. */
  readonly phase?: string | undefined;
  /** What is said is part of how it ends. */
  readonly keepsConversation?: boolean | undefined;
}

/** What the runtime knows of an agent or a team: its chart, its rules, and who belongs to it. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly machine: AnyStateMachine;
  readonly rules: Rules;
  /** Present for agents: what those who do the work read. Teams ask for no work, they engage members. */
  readonly agent: AgentDefinition | undefined;
  readonly members: ReadonlyMap<string, Definition>;
  readonly hooks: readonly Hook[];
  readonly budget?: Budget | undefined;
  readonly mailbox?: AgentMailbox | undefined;
  /** How it wants to be treated by whoever supervises it. */
  readonly asMember?: MemberPolicy | undefined;
  readonly limits?: SubtreeLimits | undefined;
  /** The parts of its budget that its members have, by role. */
  readonly allotments?: ReadonlyMap<string, Allotment> | undefined;
  /** The machine's input for a run's input. */
  start(input: unknown, placement: Placement): unknown;
}

const definitions = new WeakMap<object, Definition>();

/** Remembers what an agent's face stands for. */
export const define = (agent: object, definition: Definition): void => {
  definitions.set(agent, definition);
};

/** What an agent's face stands for; undefined for something that only looks like one. */
export const definitionOf = (agent: object): Definition | undefined => definitions.get(agent);
