import type { Json } from '../../../base/json/json.ts';
import type { Tool } from '../../../contracts/tools/tool.ts';
import type { PlannedCall } from '../../../machines/agent/call-plan.ts';
import { isOpen } from '../../../machines/agent/call-plan.ts';
import type { ToolCallContext } from '../../../machines/tool-call/tool-call-context.ts';
import { misfitOf } from '../../../tools/calls/misfit.ts';
import { isToolset } from '../../../tools/define/tool-registry.ts';
import type { Actor } from '../../actors/actor.ts';
import { isAgentContext } from '../../actors/agent-conversation.ts';
import type { ReplayedRun } from './replayed-run.ts';

/** A call without a result that a version of its agent cannot make as it is on record. */
export interface UnfitCall {
  readonly path: string;
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  /** `missing`: there is no such tool; `input`: the tool takes another input. */
  readonly problem: 'missing' | 'input';
  readonly reason: string;
  /** True if it waits for a person or its next attempt: its tool of then had taken the input. */
  readonly isWaiting: boolean;
}

/**
 * Checks whether a run is held for a call. An input that nobody has checked yet may be a mistake of the model, which any version answers with
 * an error.
 */
export const isHeldFor = ({ problem, isWaiting }: UnfitCall): boolean => problem === 'missing' || isWaiting;

/** A call without a result: it waits for a person, for its next attempt or for its turn, or was under way when its process ended. */
interface OpenCall {
  readonly actor: Actor;
  readonly call: PlannedCall;
  readonly isWaiting: boolean;
}

/** The open calls of a run whose tool is not among those of its agent. */
const missingCalls = (run: ReplayedRun): readonly UnfitCall[] =>
  openCalls(run).flatMap((open) => {
    const { actor, call } = open;
    return isLater(run, actor, call.name) || toolOf(actor, call) !== undefined
      ? []
      : [unfit(open, 'missing', actor.tools.refuse(call).error.message)];
  });

/** The open calls of a run that its agents cannot make: their tool is not there, or takes another input. */
export const unfitCalls = async (run: ReplayedRun): Promise<readonly UnfitCall[]> => {
  const found = [...missingCalls(run)];
  for (const open of openCalls(run)) {
    const tool = toolOf(open.actor, open.call);
    const misfit = tool === undefined ? undefined : await misfitOf(tool, open.call);
    if (misfit !== undefined) found.push(unfit(open, 'input', misfit.message));
  }
  return found;
};

/** The calls of the agents of a run that have no result, with the arguments that a person may have changed. */
const openCalls = ({ actors, host }: ReplayedRun): readonly OpenCall[] => {
  const open = new Map<string, OpenCall>();
  for (const actor of actors.running) {
    const context = host.contextOf(actor);
    const { principal } = actor;
    if (isCallContext(context)) {
      const { call } = context.of;
      if (context.result === null)
        open.set(`${principal.path} ${call.id}`, { actor: principal, call, isWaiting: true });
    } else if (isAgentContext(context)) {
      const { plan } = context.cycle;
      for (const [index, call] of (plan?.calls ?? []).entries()) {
        const place = `${actor.path} ${call.id}`;
        if (plan !== null && isOpen(plan, index) && !open.has(place))
          open.set(place, { actor, call, isWaiting: false });
      }
    }
  }
  // What a model made up is answered by an error, in any version.
  return [...open.values()].filter(({ call }) => call.isUnknown !== true && call.problem === undefined);
};

const isCallContext = (context: unknown): context is ToolCallContext =>
  typeof context === 'object' &&
  context !== null &&
  'of' in context &&
  typeof context.of === 'object' &&
  context.of !== null &&
  'call' in context.of;

const toolOf = ({ tools }: Actor, { name }: PlannedCall): Tool | undefined =>
  tools.held(name) ?? tools.find(name);

/** Checks whether a tool is known only once the run goes on: it was added to the run, or its set has to be opened. */
const isLater = ({ log }: ReplayedRun, { path, definition }: Actor, name: string): boolean => {
  const sets = definition.agent?.tools.filter(isToolset) ?? [];
  return (
    sets.some((set) => set.open !== undefined && name.startsWith(`${set.name}.`)) ||
    log.events
      .slice()
      .some((event) => event.type === 'tool.added' && event.path === path && event.tool === name)
  );
};

const unfit = (
  { actor: { path }, call: { id: callId, name: tool, input }, isWaiting }: OpenCall,
  problem: UnfitCall['problem'],
  reason: string,
): UnfitCall => ({ path, callId, tool, input, problem, reason, isWaiting });
