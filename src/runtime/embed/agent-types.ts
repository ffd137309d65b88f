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
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import type { OpenRequest } from '../../contracts/people/request.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { TeamContext } from '../../coordination/round/team-context.ts';
import type { AgentContext } from '../../machines/agent/agent-context.ts';
import type { agentMachine } from '../../machines/agent/agent-machine.ts';
import type { AgentCommand } from './agent-command.ts';

/** Parameters that differ between the charts of agents and of teams. */
export interface LogicChart {
  readonly context: object;
  readonly value: StateValue;
}

/** The chart of every agent. */
export interface AgentChart<State = Json> extends LogicChart {
  readonly context: Omit<AgentContext, 'state'> & { readonly state: State };
  readonly value: AgentValue;
}

/** The chart of a team: its states depend on the pattern. */
export interface TeamChart extends LogicChart {
  readonly context: TeamContext;
}

/** The states of an agent: `'preparing'`, `{ running: 'DECIDE' }`, `'waiting'`, `'completed'` … */
export type AgentValue = StateValueFrom<typeof agentMachine>;

/**
 * The snapshot of an embedded agent or team: its states in `value`, its machine's context in `context`, with the open `requests` of the whole run (the same array while nothing changes), the actors below it in `children`,
 * its outcome in `output`. `can` tells whether a command would have an effect now; a paused run has the tag `paused`.
 */
export type AgentSnapshot<Output, Chart extends LogicChart = TeamChart> = MachineSnapshot<
  Chart['context'] & { readonly requests: readonly OpenRequest[] },
  AgentCommand,
  Record<string, MemberRef | undefined>,
  Chart['value'],
  'paused',
  Outcome<Output>,
  MetaObject,
  StateSchema
>;

/** The actor of a member, of a child run by a tool, or of a troubled call; its id is its address. */
export interface MemberRef extends ActorRef<AgentSnapshot<Json, MemberChart>, AgentCommand, LiveEvent> {}

/** The chart of an actor below an agent or a team. */
export interface MemberChart extends LogicChart {
  readonly context: Readonly<Record<string, unknown>>;
}

/**
 * The actor logic of an agent or a team, for XState's `createActor`, `invoke` and `spawnChild`: typed input, snapshot, output, commands and
 * emitted events, streamed deltas included. A failed run is `done` with an outcome that says so; it never puts the actor into `error`.
 *
 * An actor that is stopped and started again continues; `getPersistedSnapshot()` contains the run, and an actor restored from it resumes as
 * after a crash. If an inspector of the app throws, XState gives up the actor, while the run ends normally.
 */
export type AgentLogic<Input, Output, Chart extends LogicChart = TeamChart> = ActorLogic<
  AgentSnapshot<Output, Chart>,
  AgentCommand,
  Input,
  ActorSystem<ActorSystemInfo>,
  LiveEvent
>;
