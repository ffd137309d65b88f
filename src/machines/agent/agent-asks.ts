import type { Port } from '../../contracts/runs/effect.ts';
import type { AgentContext } from './agent-context.ts';
import type { Ask } from '../asks.ts';
import type { EffectOrigin } from '../effects.ts';
import { askOf } from '../effects.ts';
import { phaseOfPort, roundOf } from '../recovery/recovery.ts';
import type { Engagement } from '../outputs.ts';
import type { ModelCallInput } from '../model-call/model-call-context.ts';
import type { ToolCallInput } from '../tool-call/tool-call-context.ts';

/** Ports that an agent's machine asks. */
export type AgentPort = Extract<
  Port,
  'prepare' | 'observe' | 'decide' | 'act' | 'critique' | 'wake' | 'recover'
>;

/** The asks of an agent through a port, derived from its context alone. */
export const agentAsks = (context: AgentContext, port: AgentPort): readonly Ask[] => {
  switch (port) {
    case 'prepare':
      return [askOf(port, originIn(context, 'preparing'), context)];
    case 'observe':
      return [askOf(port, originIn(context, 'OBSERVE'), context)];
    case 'decide':
      return [askOf(port, originIn(context, 'DECIDE'), context)];
    case 'critique':
      return [askOf(port, originIn(context, 'CRITIC', context.step - 1), context)];
    case 'wake':
      return wakeAsks(context);
    case 'act':
      return callAsks(context);
    case 'recover':
      return recoverAsks(context);
  }
};

/** The origin of an agent's effect in a phase. */
const originIn = (
  context: AgentContext,
  phase: string,
  step = context.step,
  index?: number,
): EffectOrigin => {
  const { runId, path, agent } = context.run;
  return { runId, path, agent, step, phase, index, round: roundOf(context) };
};

const callAsks = (context: AgentContext): readonly Ask[] => {
  const { plan } = context.cycle;
  if (plan === null) return [];
  const asks: Ask[] = [];
  for (const index of plan.starting) {
    const call = plan.calls[index];
    if (call === undefined) continue;
    const origin = originIn(context, 'ACT', context.step, index);
    asks.push(askOf('act', origin, { call, context, isApproved: false }));
  }
  return asks;
};

const recoverAsks = (context: AgentContext): readonly Ask[] => {
  const { runId, path, agent } = context.run;
  const { recovery } = context.review;
  const pending = recovery?.pending.at(-1);
  if (recovery === undefined || pending === undefined) return [];
  const { port, index } = pending;
  const round = `r${recovery.count}`;
  const origin = { runId, path, agent, step: context.step, phase: phaseOfPort[port], index, round };
  return [askOf('recover', origin, { ...pending, context })];
};

const wakeAsks = (context: AgentContext): readonly Ask[] => {
  const { decision, pauseMs } = context.cycle;
  const forMs = decision?.kind === 'wait' ? decision.forMs : (pauseMs ?? undefined);
  if (forMs === undefined) return [];
  const { runId, path, agent } = context.run;
  const origin = { runId, path, agent, step: context.step - 1, phase: 'waiting' };
  return [askOf('wake', origin, { dueAt: context.tally.now + forMs })];
};

/** Asks to wait a moment longer, as more delegates may return. */
export const gatherAsks = (context: AgentContext, dueAt: number): readonly Ask[] => {
  const { runId, path, agent } = context.run;
  const origin = { runId, path, agent, step: context.step - 1, phase: 'gathering' };
  return [askOf('wake', origin, { dueAt })];
};

/** The call machine that takes over the trouble just recorded. No agent's name begins with `~`, so its address is unique. */
export const callEngagement = (context: AgentContext): readonly Engagement[] => {
  const { trouble, plan } = context.cycle;
  const { runId, path, agent } = context.run;
  const { step } = context;
  const round = roundOf(context);
  const again = round === undefined ? '' : `~${round}`;
  if (trouble === null) return [];
  if (plan === null) {
    const input: ModelCallInput = { runId, path: `${path}/~model-${step}${again}`, agent, context, trouble };
    return [{ path: input.path, actor: { kind: 'modelCall' }, input, port: 'decide', index: 0 }];
  }
  const call = plan.calls[trouble.index];
  if (call === undefined) return [];
  const input: ToolCallInput = { runId, path: `${path}/~${call.id}${again}`, agent, context, call, trouble };
  return [{ path: input.path, actor: { kind: 'toolCall' }, input, port: 'act', index: trouble.index }];
};
