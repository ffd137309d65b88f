import type { LiveEvent } from '../contracts/event.ts';
import { activityOf } from './activity.ts';
import { oneLine } from './printable.ts';

/** A tool call that is under way. */
export interface ToolProgress {
  readonly callId: string;
  readonly tool: string;
  readonly step: number | undefined;
  /** What it is doing, in words: as it said when it began, or what it said since. Safe to print. */
  readonly activity: string;
  readonly startedAt: number;
}

/** The progress of one agent or team of a run. */
export interface AgentProgress {
  readonly path: string;
  readonly agent: string;
  readonly phase: string | undefined;
  readonly step: number | undefined;
  /** True if it works: from its first phase until it waits or ends. Never true of a team's supervisor. */
  readonly isWorking: boolean;
  /** Tool calls under way, by call id. */
  readonly tools: Readonly<Record<string, ToolProgress>>;
  /** What it did last, in words. Safe to print. */
  readonly activity: string | undefined;
}

/** The agents of a run by path, in the order in which they came. */
export type AgentsProgress = Readonly<Record<string, AgentProgress>>;

const PHASES: ReadonlySet<string> = new Set(['OBSERVE', 'DECIDE', 'ACT', 'REDUCE', 'CRITIC', 'CHECK_STOP']);
const ENDS: ReadonlySet<string> = new Set(['completed', 'stopped', 'aborted', 'failed']);

/** Checks whether an agent is at its end in this phase. */
export const isEndPhase = (phase: string): boolean => ENDS.has(phase);

/** Checks whether an agent works in a phase; in one that says neither, it does as it did before. */
export const isAtWork = (phase: string, wasWorking: boolean): boolean =>
  PHASES.has(phase) || (wasWorking && phase !== 'waiting' && !isEndPhase(phase));

/** The agents after one more event; the same object for one that changes nothing. */
export const foldAgents = (agents: AgentsProgress, event: LiveEvent): AgentsProgress => {
  switch (event.type) {
    case 'model.delta':
    case 'observer.failed':
    case 'observer.dropped':
    case 'run.paused':
    case 'run.resumed':
    case 'step.ended':
      return agents;
    case 'run.ended':
      return allAtRest(agents);
    default:
  }
  const { path, agent } = event;
  const before = agents[path] ?? { ...newcomer, path, agent };
  const after = foldAgent(before, event);
  return after === before ? agents : { ...agents, [path]: after };
};

const newcomer = { phase: undefined, step: undefined, isWorking: false, tools: {}, activity: undefined };

/** The agents of a run that is over, however it ended: nobody works, and no tool runs. */
export const allAtRest = (agents: AgentsProgress): AgentsProgress =>
  Object.fromEntries(
    Object.entries(agents).map(([path, agent]) => [path, { ...agent, isWorking: false, tools: {} }]),
  );

const foldAgent = (
  agent: AgentProgress,
  event: Exclude<LiveEvent, { type: 'model.delta' }>,
): AgentProgress => {
  if (event.type === 'phase.entered') {
    const isWorking = isAtWork(event.phase, agent.isWorking);
    return { ...agent, phase: oneLine(event.phase, 40), step: event.step ?? agent.step, isWorking };
  }
  const activity = activityOf(event)?.text ?? agent.activity;
  switch (event.type) {
    case 'tool.started': {
      const { callId, tool, step, at } = event;
      const begun = { callId, tool, step, activity: activity ?? tool, startedAt: at };
      return { ...agent, activity, tools: { ...agent.tools, [callId]: begun } };
    }
    case 'tool.progressed': {
      const begun = agent.tools[event.callId];
      if (begun === undefined || activity === undefined) return { ...agent, activity };
      return { ...agent, activity, tools: { ...agent.tools, [event.callId]: { ...begun, activity } } };
    }
    case 'tool.finished': {
      const { [event.callId]: _, ...tools } = agent.tools;
      return { ...agent, activity, tools };
    }
    default:
      return activity === agent.activity ? agent : { ...agent, activity };
  }
};
