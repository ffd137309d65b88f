import type {
  ActorLogic,
  ActorRef,
  ActorSystem,
  ActorSystemInfo,
  MachineSnapshot,
  MetaObject,
  StateSchema,
  StateValue,
  StateValueFrom,
} from 'xstate';
import type { LiveEvent } from '../../contracts/event.ts';
import type { Json } from '../../contracts/json.ts';
import type { Outcome } from '../../contracts/run.ts';
import type { TeamContext } from '../../coordination/round/team-context.ts';
import type { AgentContext } from '../../machines/agent-context.ts';
import type { agentMachine } from '../../machines/agent-machine.ts';
import type { AgentCommand } from './agent-command.ts';

/** What differs between the charts of agents and those of teams. */
export interface LogicChart {
  readonly context: object;
  readonly value: StateValue;
}

/** The chart of every agent. */
export interface AgentChart<State = Json> extends LogicChart {
  readonly context: Omit<AgentContext, 'state'> & { readonly state: State };
  readonly value: AgentValue;
}

/** The chart of a team: each pattern has states of its own. */
export interface TeamChart extends LogicChart {
  readonly context: TeamContext;
}

/** The states of an agent: `'preparing'`, `{ running: 'DECIDE' }`, `'waiting'`, `'completed'` … */
export type AgentValue = StateValueFrom<typeof agentMachine>;

/**
 * The snapshot of an embedded agent or team: its states in `value`, what its machine knows in `context`, the actors below it in
 * `children`, its end in `output`. `can` says of a command whether it would do anything now; a run that is held has the tag `paused`.
 */
export type AgentSnapshot<Output, Chart extends LogicChart = TeamChart> = MachineSnapshot<
  Chart['context'],
  AgentCommand,
  Record<string, MemberRef | undefined>,
  Chart['value'],
  'paused',
  Outcome<Output>,
  MetaObject,
  StateSchema
>;

/** The actor of a member, of a child that a tool runs, or of a call that is in trouble; its id is its address. */
export interface MemberRef extends ActorRef<AgentSnapshot<Json, MemberChart>, AgentCommand, LiveEvent> {}

/** The chart of whoever works below an agent or a team. */
export interface MemberChart extends LogicChart {
  readonly context: Readonly<Record<string, unknown>>;
}

/**
 * The logic of an agent's or a team's actor, for XState's `createActor`, `invoke` and `spawnChild`: typed input, snapshot, output,
 * commands and emitted events, streamed deltas among them. A run that failed is `done` with an outcome that says so; it never errors in
 * the app around it.
 *
 * An actor that is stopped and started again goes on; `getPersistedSnapshot()` holds the run, and an actor that is restored from it
 * goes on by the rules of a crash. An inspector of the app that throws is the app's own: XState gives up the actor, the run ends well.
 */
export type AgentLogic<Input, Output, Chart extends LogicChart = TeamChart> = ActorLogic<
  AgentSnapshot<Output, Chart>,
  AgentCommand,
  Input,
  ActorSystem<ActorSystemInfo>,
  LiveEvent
>;
