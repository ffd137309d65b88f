import * as z from 'zod';
import type { BeforeEnd, Delegation } from '../../contracts/delegation.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { Control, ToolContext } from '../../contracts/tool.ts';
import type { DefinedTool } from '../define-tool.ts';
import { tool } from '../define-tool.ts';
import type { Dual } from '../tool-result.ts';
import { dual } from '../tool-result.ts';
import type { Delegated, ReceiverOptions } from './receivers.ts';
import { delegated, Receivers, refusal, wordsOf } from './receivers.ts';
import { inputFor } from './seen-conversation.ts';

/** Who is delegated to, how far, and whether the answer is waited for. */
export type DelegateOptions = WaitingOptions | BackgroundOptions;

interface CommonOptions extends ReceiverOptions {
  /** Default `delegate`. */
  readonly name?: string | undefined;
  /**
   * True if one who had work can be given more by the id of that work, with all that was said. Default false. What is said
   * to it and by it is part of the agent's own record then. A team has no conversation that could go on.
   */
  readonly followUps?: boolean | undefined;
}

interface WaitingOptions extends CommonOptions {
  /** Default: the answer is waited for. */
  readonly mode?: 'wait' | undefined;
  /** In ms. Default 120,000. */
  readonly timeoutMs?: number | undefined;
}

interface BackgroundOptions extends CommonOptions {
  /** An id is given at once, and the agent goes on; what comes of the work comes back as a message. */
  readonly mode: 'background';
  /** What becomes of an answer while the work is under way. Default `tell`: the agent is told once, its next answer ends it. */
  readonly beforeEnd?: BeforeEnd | undefined;
  /** The time that an agent that waits still waits for more, once something has come back, in ms. Default 250; 0: not at all. */
  readonly gatherMs?: number | undefined;
}

/** What the tool is called with. */
interface DelegateInput {
  readonly to: string;
  readonly task: string;
  /** Work to go on with. */
  readonly id?: string | undefined;
}

/** Work that is under way. */
export interface DelegationBegun {
  readonly id: string;
  readonly agent: string;
  readonly status: 'working';
}

/**
 * The tool `delegate`: has another agent or team do a part of the work, as a child of this run.
 *
 * The child's events, limits, budget and abort are the run's. Nobody is delegated to who waits for the answer: that would be
 * a circle. It sees the task and nothing else, unless `sees` says so. One that is stopped by a limit, or by its own budget, gives
 * back what it has, marked as partial. One that fails is a failed call, which the model reads.
 *
 * In the background, the call is through at once, and what comes of the work is a message to the agent: at its next step, or
 * when it waits (see `awaitDelegates`). An answer that was given before the agent has read what came back is put back.
 * What is under way when the agent ends is called off. Such work is bounded by the stop rules and the budget of whoever does it.
 *
 * @example
 * agent({ name: 'lead', tools: [delegate({ to: [researcher, reviewTeam] })] });
 * agent({ name: 'editor', tools: [delegate({ to: [writer], mode: 'background', followUps: true }), awaitDelegates] });
 *
 * @throws `agent.invalid` without anybody to delegate to, with two of one name, or for options of the other mode.
 */
export const delegate = (
  options: DelegateOptions,
): DefinedTool<DelegateInput, Delegated | DelegationBegun> => {
  const { name = 'delegate', sees = 'task', followUps = false } = options;
  refuseOthers(name, options);
  const receivers = new Receivers(name, options);
  const isBackground = options.mode === 'background';
  const effect = isBackground
    ? 'Gives a part of the work to somebody else, who does it while you go on. You are told when it is done.'
    : 'Has somebody else do a part of the work and gives the answer.';
  const shown = sees === 'task' ? ' Say everything that is needed: they see nothing else.' : '';
  const work = isBackground ? giveAway : haveDone;
  return {
    ...tool({
      name,
      description: `${effect}${shown} To: ${receivers.description}.`,
      category: 'control',
      input: inputSchema(receivers.names, followUps),
      describe: ({ to: agent, task }) => `Asking ${agent}: ${task.slice(0, 100)}`,
      timeoutMs: options.mode === 'background' ? undefined : (options.timeoutMs ?? 120_000),
      // Work of others is paid for again if it is repeated.
      retry: false,
      execute: async (input, context) => {
        const before = input.id === undefined ? undefined : earlier(input.id, input.to, context);
        const seen = await inputFor(sees, input.task, context);
        return work({ ...input, task: seen }, before, receivers, options, context);
      },
    }),
    delegates: receivers.delegates,
    receivers: receivers.listed,
  };
};

const inputSchema = (
  names: readonly string[],
  followUps: boolean,
): z.ZodType<DelegateInput, DelegateInput> => {
  const schema = z.object({
    to: z.enum(names),
    task: z.string().trim().min(1, 'the task is empty').describe('The whole task, in words.'),
  });
  const id = z.string().optional().describe('The id of work that was given away before, to go on with it.');
  return followUps ? schema.extend({ id }) : schema;
};

type Work = (
  input: DelegateInput,
  before: Delegation | undefined,
  receivers: Receivers,
  options: DelegateOptions,
  context: ToolContext,
) => Promise<Dual<Delegated | DelegationBegun>> | Dual<Delegated | DelegationBegun>;

/** Waits for the answer. */
const haveDone: Work = async ({ to, task }, before, receivers, { followUps = false }, context) => {
  const { agent, name } = receivers.find(to, context);
  const result = await context.run(agent, task, {
    ...receivers.termsFor(agent, context),
    ...(before?.conversation === undefined ? {} : { history: before.conversation }),
    ...(followUps ? { keepsConversation: true } : {}),
  });
  const value = delegated(name, result);
  const text = wordsOf(value, result);
  if (result.conversation === undefined) return dual({ text, value });
  const id = before?.id ?? idOf(name, context);
  const control: Control = { type: 'delegated', id, to: name, conversation: result.conversation };
  return dual({ text: `${text}\n\n(To go on with this, its id is ${id}.)`, value, control });
};

/** Gives the work away, and goes on. */
const giveAway: Work = ({ to, task }, before, receivers, options, context) => {
  const { agent, name } = receivers.find(to, context);
  const { beforeEnd = 'tell', gatherMs = 250 } = options.mode === 'background' ? options : {};
  const control: Control = {
    type: 'delegate',
    id: idOf(name, context),
    to: name,
    task,
    ...(before === undefined ? {} : { follows: before.id }),
    beforeEnd,
    gatherMs,
    ...(options.followUps === true ? { keepsConversation: true } : {}),
    ...receivers.termsFor(agent, context),
  };
  const id = before?.id ?? control.id;
  const text =
    before?.status === 'working'
      ? `Told '${name}', who is still at ${id}.`
      : `Given to '${name}' as ${id}. You will be told what comes of it.`;
  return dual({ text, value: { id, agent: name, status: 'working' as const }, control });
};

/** Work that is gone on with. */
const earlier = (id: string, to: string, { delegations, tool: name, agent }: ToolContext): Delegation => {
  const found = delegations.find((each) => each.id === id && each.tool === name);
  const wanted = to === 'self' ? agent : to;
  const reason =
    found === undefined
      ? `no work has the id '${id}'`
      : found.to !== wanted
        ? `the work '${id}' is that of '${found.to}'`
        : found.status === 'calledOff'
          ? `the work '${id}' was called off`
          : found.status === 'done' && found.conversation === undefined
            ? `nothing is left of the work '${id}' to go on from`
            : undefined;
  if (found === undefined || reason !== undefined) throw refusal(to, reason ?? '');
  return found;
};

/** The name of work that is given away: no two calls of an agent have one number. */
const idOf = (name: string, { callId }: ToolContext): string => `${name}-${callId.replace(/^call_/, '')}`;

/** Options of the other mode would be taken and ignored. */
const refuseOthers = (name: string, options: DelegateOptions): void => {
  const others = options.mode === 'background' ? ['timeoutMs'] : ['beforeEnd', 'gatherMs'];
  const found = others.find((option) => Reflect.get(options, option) !== undefined);
  if (found !== undefined)
    throw new TroupeError(
      'agent.invalid',
      `Cannot define the tool '${name}' as ${found} is no option of the mode '${options.mode ?? 'wait'}'`,
    );
};
