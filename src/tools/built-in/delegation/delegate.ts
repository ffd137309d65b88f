import * as z from 'zod';
import { aBoolean, aTime, aBound, oneOf, optional } from '../../../base/schemas/option-schemas.ts';
import type { BeforeEnd, Delegation } from '../../../contracts/tools/delegation.ts';
import { optionsCheck } from '../../../contracts/errors/check-options.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Control } from '../../../contracts/tools/tool-result.ts';
import type { ToolContext } from '../../../contracts/tools/tool.ts';
import type { DefinedTool } from '../../define/define-tool.ts';
import { tool } from '../../define/define-tool.ts';
import type { Dual } from '../../calls/tool-result.ts';
import { dual } from '../../calls/tool-result.ts';
import type { Delegated, ReceiverOptions } from './receivers.ts';
import { delegateResult, receiverShape, Receivers, refusal, wordsOf } from './receivers.ts';
import { inputFor } from './seen-conversation.ts';

/** Options of delegation: to whom, how deep, and whether to wait for the answer. */
export type DelegateOptions = WaitingOptions | BackgroundOptions;

interface CommonOptions extends ReceiverOptions {
  /** Default `delegate`. */
  readonly name?: string | undefined;
  /**
   * True if a finished delegate can be given follow-up work by its id, with its whole conversation. Default false. Its
   * conversation then is part of the agent's own record. Not for teams, which have no single conversation.
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
  /** Returns an id at once, and the agent continues; the result arrives as a message. */
  readonly mode: 'background';
  /**
   * Handling of an answer while work is in flight. Default `tell`: the agent is reminded once, its next answer ends it.
   */
  readonly beforeEnd?: BeforeEnd | undefined;
  /** Time that a waiting agent waits for further results after the first, in ms. Default 250; 0: none. */
  readonly gatherMs?: number | undefined;
}

/** The input of the tool. */
export interface DelegateInput {
  readonly to: string;
  readonly task: string;
  /** Work to be continued. */
  readonly id?: string | undefined;
}

/** Delegated work in flight. */
export interface DelegationBegun {
  readonly id: string;
  readonly agent: string;
  readonly status: 'working';
}

/**
 * The tool `delegate`: has another agent or team do a part of the work, as a child of this run.
 *
 * The child shares the run's events, limits, budget and abort. An agent that waits for the answer cannot be delegated
 * to: that would be a circle. The delegate sees the task and nothing else, unless `sees` is set. One that is stopped by
 * a limit, or by its own budget, returns what it has, marked as partial. One that fails is a failed call, which the
 * model reads.
 *
 * In the background, the call returns at once, and the result is a message to the agent: at its next step, or when it
 * waits (see `awaitDelegates`). An answer given before the agent has read a returned result is held back. Work in
 * flight when the agent ends is cancelled. Such work is bounded by the stop rules and the budget of the delegate.
 *
 * @example
 * agent({ name: 'lead', tools: [delegate({ to: [researcher, reviewTeam] })] });
 * agent({ name: 'editor', tools: [delegate({ to: [writer], mode: 'background', followUps: true }), awaitDelegates] });
 *
 * @throws `agent.invalid` without a delegate, with two of one name, or for options of the other mode, or that do not fit.
 */
export const delegate = (
  options: DelegateOptions,
): DefinedTool<DelegateInput, Delegated | DelegationBegun> => {
  const { name = 'delegate', sees = 'task', followUps = false } = check(options);
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
      safety: 'read',
      input: inputSchema(receivers.names, followUps),
      describe: ({ to: agent, task }) => `Asking ${agent}: ${task.slice(0, 100)}`,
      timeoutMs: options.mode === 'background' ? undefined : (options.timeoutMs ?? 120_000),
      // Repeating would pay for the delegate's work again.
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

/** All options of both modes. */
type AnyDelegateOptions = CommonOptions &
  Omit<WaitingOptions, 'mode'> &
  Omit<BackgroundOptions, 'mode'> & { readonly mode?: DelegateOptions['mode'] };

const check = optionsCheck<AnyDelegateOptions>(
  { code: 'agent.invalid', owner: 'a tool that delegates' },
  () => ({
    ...receiverShape(),
    mode: optional(oneOf(['wait', 'background'])),
    followUps: optional(aBoolean()),
    timeoutMs: optional(aTime()),
    beforeEnd: optional(oneOf(['tell', 'wait', 'leave'])),
    gatherMs: optional(aBound(0)),
  }),
);

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
  const value = delegateResult(name, result);
  const text = wordsOf(value, result);
  if (result.conversation === undefined) return dual({ text, value });
  const id = before?.id ?? idOf(name, context);
  const control: Control = { type: 'delegated', id, to: name, conversation: result.conversation };
  return dual({ text: `${text}\n\n(To go on with this, its id is ${id}.)`, value, control });
};

/** Delegates the work, and continues. */
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

/** Returns the earlier work to be continued. */
const earlier = (id: string, to: string, { delegations, tool: name, agent }: ToolContext): Delegation => {
  const found = delegations.find((each) => each.id === id && each.tool === name);
  const wanted = to === 'self' ? agent : to;
  const reason =
    found === undefined
      ? `no work has the id '${id}'`
      : found.to !== wanted
        ? `the work '${id}' is that of '${found.to}'`
        : found.status === 'calledOff'
          ? `the work '${id}' was cancelled`
          : found.status === 'done' && found.conversation === undefined
            ? `the work '${id}' has no conversation to continue`
            : undefined;
  if (found === undefined || reason !== undefined) throw refusal(to, reason ?? '');
  return found;
};

/** Returns the id of delegated work: no two calls of an agent share a number. */
const idOf = (name: string, { callId }: ToolContext): string => `${name}-${callId.replace(/^call_/, '')}`;

/** Options of the other mode would be taken and ignored. */
const refuseOthers = (name: string, options: DelegateOptions): void => {
  const others = options.mode === 'background' ? ['timeoutMs'] : ['beforeEnd', 'gatherMs'];
  const found = others.find((option) => Reflect.get(options, option) !== undefined);
  if (found !== undefined)
    throw new TroupeError(
      'agent.invalid',
      `Cannot define the tool '${name}' as ${found} is not an option of the mode '${options.mode ?? 'wait'}'`,
    );
};
