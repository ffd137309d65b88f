import type { AnyStateMachine } from 'xstate';
import { assign } from 'xstate';
import { isJsonObject } from '../../base/json/json.ts';
import { openRound } from '../round/round.ts';
import { setupTeam, teamArrows, teamEnds, tell } from '../round/setup-team.ts';
import { teamContext } from '../round/team-context.ts';
import type { TeamInput } from '../round/team-context.ts';
import { withMessage } from './workflow-change.ts';
import { workflowOutcome } from './workflow-end.ts';
import type { Graph } from './workflow-graph.ts';
import { additions, admission, regionOf } from './workflow-region.ts';
import { onTurn, withAnswer } from './workflow-reply.ts';
import { advance } from './workflow-schedule.ts';
import type { NodeStatus, WorkflowContext, WorkflowOwn } from './workflow-state.ts';
import { freshOwn, isSettled, stateOf } from './workflow-state.ts';
import { rulesInForce } from '../../machines/in-force.ts';

type OfNode = { readonly node: string };

/** Nodes that were added on the way have no region of their own. */
const addedNodes = ({ own, options }: WorkflowContext): readonly string[] =>
  Object.keys(own.nodes).filter((id) => !options.nodes.some((node) => node.id === id));

const is =
  (...statuses: readonly NodeStatus[]) =>
  ({ context }: { context: WorkflowContext }, { node }: OfNode): boolean =>
    statuses.includes(stateOf(context, node).status);

/** The vocabulary of workflows: one scheduler, and for each node a region that shows where it is. */
const makeTeam = () =>
  setupTeam<WorkflowOwn, Graph>().extend({
    actions: {
      beginWorkflow: assign(({ context }) => checkStart(context)),
      takeAnswer: assign(({ context, event }) => withAnswer(context, event)),
      takeMessage: assign(({ context, event }) =>
        event.type === 'message' ? withMessage(onTurn(context, event.at), event.message) : {},
      ),
      tellNotes: ({ context }) => {
        for (const text of context.own.notes) tell({ type: 'team.noted', text }, context, 'working');
      },
    },
    guards: {
      nodeIsReady: is('ready', 'running', 'waiting', 'completed', 'failed'),
      nodeIsPending: is('pending'),
      nodeIsQueued: is('ready'),
      nodeRuns: is('running'),
      nodeWaits: is('waiting'),
      nodeIsHeld: is('held'),
      nodeIsSkipped: is('skipped'),
      nodeIsCompleted: is('completed'),
      nodeHasFailed: is('failed'),
      isSuspended: ({ context }) => context.own.isSuspended,
      isResumed: ({ context }) => !context.own.isSuspended,
      hasAddedNodes: ({ context }) => addedNodes(context).some((id) => !isSettled(stateOf(context, id))),
      addedNodesAreThrough: ({ context }) =>
        addedNodes(context).every((id) => isSettled(stateOf(context, id))),
    },
  });

/** The name of the function that says whether the workflow's input is what it takes. */
export const CHECK_INPUT = 'input';

/** Nothing begins on an input that is none. */
const checkStart = (context: WorkflowContext): WorkflowContext => {
  const checked = rulesInForce().functions?.[CHECK_INPUT]?.(context.input);
  const { value = context.input, problems } = isJsonObject(checked) ? checked : {};
  if (typeof problems !== 'string') return advance({ ...context, input: value, round: openRound() });
  const message = `Cannot begin the workflow '${context.team.name}' as its input is none that it takes: ${problems}`;
  const error = { code: 'input.invalid', message, retryable: 'no' } as const;
  return { ...context, end: { status: 'failed', stopReason: { kind: 'failed' }, error } };
};

/**
 * The machine of a workflow: all its nodes side by side, each with a region that shows where it is.
 *
 * What begins when is the scheduler's to say (`advance`); the regions follow what it has decided, so that they can never say
 * anything else.
 *
 * @example
 * toMermaid(workflowMachine(graph)) // each node, with its states
 */
export const workflowMachine = (name: string, graph: Graph): AnyStateMachine => {
  const team = makeTeam();
  const regions = Object.fromEntries(graph.nodes.map((node) => [node.id, regionOf(node, graph)]));
  return team.createMachine({
    id: name,
    description: 'Nodes that begin as soon as those before them are through.',
    context: ({ input }: { input: TeamInput<Graph> | undefined }) =>
      teamContext(input, freshOwn(input?.options ?? graph), graph),
    output: workflowOutcome,
    options: { maxIterations: 1_000 + 20 * graph.nodes.length },
    initial: 'working',
    on: teamArrows,
    states: {
      working: {
        description: 'Nodes are at work, and others begin as their turn comes.',
        type: 'parallel',
        entry: [
          'beginWorkflow',
          { type: 'entered', params: { phase: 'working' } },
          'engageMembers',
          'tellNotes',
        ],
        always: [
          { guard: 'isCompleted', target: 'completed' },
          { guard: 'hasFailed', target: 'failed' },
          { guard: 'isAborted', target: 'aborted' },
          { guard: 'isStopped', target: 'stopped' },
        ],
        on: {
          'answered.*': { actions: ['takeAnswer', 'engageMembers', 'tellNotes'] },
          message: { actions: ['received', 'takeMessage', 'engageMembers', 'tellNotes'] },
        },
        states: { ...regions, 'new nodes': admission, 'added nodes': additions },
      },
      ...teamEnds,
    },
  });
};
