import type { LiveEvent } from '../../contracts/events/event.ts';
import { activityOf } from './activity.ts';
import { oneLine } from '../../base/text/printable.ts';

/** A tool call in progress. */
export interface ToolProgress {
  readonly callId: string;
  readonly tool: string;
  readonly step: number | undefined;
  /** Its activity: as described at its start, or reported since. Safe to print. */
  readonly activity: string;
  readonly startedAt: number;
}

/** The progress of one agent or team of a run. */
export interface AgentProgress {
  readonly path: string;
  readonly agent: string;
  readonly phase: string | undefined;
  readonly step: number | undefined;
  /** True from its first phase until it waits or ends. Never true for a team's supervisor. */
  readonly isWorking: boolean;
  /** Tool calls in progress, by call id. */
  readonly tools: Readonly<Record<string, ToolProgress>>;
  /** Its latest activity. Safe to print. */
  readonly activity: string | undefined;
}

/** The agents of a run by path, in order of appearance. */
export type AgentsProgress = Readonly<Record<string, AgentProgress>>;

/** The phases of an agent are in capitals, other states are not. */
const PHASE = /^[A-Z]/;
const ENDS: ReadonlySet<string> = new Set(['completed', 'stopped', 'aborted', 'failed']);

/** Checks whether a phase is an end. */
export const isEndPhase = (phase: string): boolean => ENDS.has(phase);

/** Checks whether an agent works in a phase; a phase that determines neither leaves it unchanged. */
export const isAtWork = (phase: string, wasWorking: boolean): boolean =>
  PHASE.test(phase) || (wasWorking && phase !== 'waiting' && !isEndPhase(phase));

/** Applies an event to the agents; the same object if nothing changes. */
export const foldAgents = (agents: AgentsProgress, event: LiveEvent): AgentsProgress => {
  switch (event.type) {
    // What a run or its observers do is no activity of an agent.
    case 'observer.failed':
    case 'observer.dropped':
    case 'run.paused':
    case 'run.resumed':
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

/** The agents of an ended run: none works, and no tool runs. */
export const allAtRest = (agents: AgentsProgress): AgentsProgress =>
  Object.fromEntries(
    Object.entries(agents).map(([path, agent]) => [path, { ...agent, isWorking: false, tools: {} }]),
  );

const foldAgent = (agent: AgentProgress, event: LiveEvent): AgentProgress => {
  if (event.type === 'phase.entered') {
    const isWorking = isAtWork(event.phase, agent.isWorking);
    return { ...agent, phase: oneLine(event.phase, 40), step: event.step ?? agent.step, isWorking };
  }
  const activity = activityOf(event)?.text ?? agent.activity;
  const tools = foldTools(agent.tools, event, activity);
  return activity === agent.activity && tools === agent.tools ? agent : { ...agent, activity, tools };
};

const foldTools = (
  tools: AgentProgress['tools'],
  event: LiveEvent,
  activity: string | undefined,
): AgentProgress['tools'] => {
  switch (event.type) {
    case 'tool.started': {
      const { callId, tool, step, at } = event;
      return { ...tools, [callId]: { callId, tool, step, activity: activity ?? tool, startedAt: at } };
    }
    case 'tool.progressed': {
      const begun = tools[event.callId];
      if (begun === undefined || activity === undefined) return tools;
      return { ...tools, [event.callId]: { ...begun, activity } };
    }
    case 'tool.finished': {
      const { [event.callId]: _, ...others } = tools;
      return others;
    }
    default:
      return tools;
  }
};
