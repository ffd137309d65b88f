import type { Observable } from 'rxjs';
import { materialize, mergeMap, scan } from 'rxjs';
import type { LiveEvent } from '../contracts/event.ts';
import type { RunStatus } from '../contracts/run.ts';
import { activityOf, nameOf } from './activity.ts';
import { oneLine } from './printable.ts';

/** How far one agent or team of a run is. */
export interface AgentProgress {
  readonly path: string;
  readonly phase: string | undefined;
  /** Whether it works: from its first phase until it waits or ends. Never true of a team's supervisor. */
  readonly isWorking: boolean;
  /** Tool calls under way, by call id: what each is doing, in words. */
  readonly tools: Readonly<Record<string, string>>;
  /** What it did last, in words. */
  readonly text: string | undefined;
}

/** How far a run is: what a terminal needs to draw it. Plain JSON. */
export interface Progress {
  readonly status: 'running' | 'paused' | RunStatus;
  /** By path, in the order in which they came. */
  readonly agents: Readonly<Record<string, AgentProgress>>;
  /** Completed, of all agents. */
  readonly steps: number;
  /** Input and output, of all models. */
  readonly tokens: number;
}

/** Before the first event. */
export const noProgress: Progress = { status: 'running', agents: {}, steps: 0, tokens: 0 };

/**
 * Progress after one more event. Pure; gives the same object back for an event that changes nothing.
 *
 * Once the run has ended, however it did, nobody works and no tool runs.
 *
 * @example
 * handle.events$.pipe(scan(foldProgress, noProgress)).subscribe((progress) => draw(progressLine(progress)));
 */
export const foldProgress = (progress: Progress, event: LiveEvent): Progress => {
  switch (event.type) {
    case 'model.delta':
    case 'observer.failed':
    case 'observer.dropped':
      return progress;
    case 'run.paused':
      return { ...progress, status: 'paused' };
    case 'run.resumed':
      return { ...progress, status: 'running' };
    case 'run.ended':
      return ended(
        {
          ...progress,
          steps: event.totals.steps,
          tokens: event.totals.inputTokens + event.totals.outputTokens,
        },
        event.status,
      );
    case 'step.ended':
      return { ...progress, steps: progress.steps + 1 };
    case 'model.answered':
      return { ...progress, tokens: progress.tokens + event.usage.input + event.usage.output };
    default:
      return withAgent(progress, event);
  }
};

const ended = (progress: Progress, status: Progress['status']): Progress => ({
  ...progress,
  status,
  agents: Object.fromEntries(
    Object.entries(progress.agents).map(([path, agent]) => [path, { ...agent, isWorking: false, tools: {} }]),
  ),
});

const withAgent = (progress: Progress, event: LiveEvent): Progress => {
  const { path } = event;
  const before = progress.agents[path] ?? {
    path,
    phase: undefined,
    isWorking: false,
    tools: {},
    text: undefined,
  };
  const after = foldAgent(before, event);
  return after === before ? progress : { ...progress, agents: { ...progress.agents, [path]: after } };
};

const PHASES: ReadonlySet<string> = new Set(['OBSERVE', 'DECIDE', 'ACT', 'REDUCE', 'CRITIC', 'CHECK_STOP']);
const RESTS: ReadonlySet<string> = new Set(['waiting', 'completed', 'stopped', 'aborted', 'failed']);

/** Whether an agent works in a phase; in one that says neither, it does as it did before. */
export const isAtWork = (phase: string, wasWorking: boolean): boolean =>
  PHASES.has(phase) || (wasWorking && !RESTS.has(phase));

const foldAgent = (agent: AgentProgress, event: LiveEvent): AgentProgress => {
  if (event.type === 'phase.entered') {
    const { phase } = event;
    const isWorking = isAtWork(phase, agent.isWorking);
    return { ...agent, phase: oneLine(phase, 40), isWorking };
  }
  const text = activityOf(event)?.text ?? agent.text;
  if (event.type === 'tool.started') {
    return { ...agent, text, tools: { ...agent.tools, [event.callId]: text ?? event.tool } };
  }
  if (event.type === 'tool.finished') {
    const { [event.callId]: _, ...tools } = agent.tools;
    return { ...agent, text, tools };
  }
  return text === agent.text ? agent : { ...agent, text };
};

/**
 * One line for a terminal: who works, at what, and what it took so far.
 *
 * @example
 * progressLine(progress) // => 'researcher-1 · ACT · Reading config.json | writer · DECIDE · Thinking | 7 steps, 1,234 tokens'
 */
export const progressLine = ({ status, agents, steps, tokens }: Progress): string => {
  const working = Object.values(agents).filter(({ isWorking }) => isWorking);
  const lines = working.slice(0, SHOWN).map(({ path, phase, tools, text }) => {
    const doing = Object.values(tools).join(', ') || text;
    return [nameOf(path), phase, doing].filter((part) => part !== undefined).join(' · ');
  });
  const more = working.length > SHOWN ? [`${working.length - SHOWN} more`] : [];
  const state = status === 'running' ? [] : [status];
  return [...state, ...lines, ...more, `${grouped(steps)} steps, ${grouped(tokens)} tokens`].join(' | ');
};

/** Agents that a line has room for. */
const SHOWN = 4;

/** The same in every locale. */
const grouped = (count: number): string => count.toLocaleString('en-US');

/** That somebody began or ceased to work: what a typing indicator shows. */
export interface Working {
  readonly path: string;
  readonly isWorking: boolean;
}

/**
 * When each agent starts and stops working: a start before its first phase's work, a stop when it waits or ends.
 *
 * Starts and stops alternate for each path, and whatever happens, failure and a stream that breaks off included,
 * everybody who started is stopped before it completes. A team's supervisor is never shown as working.
 *
 * @example
 * working$(handle.events$).subscribe(({ path, isWorking }) => chat.setTyping(path, isWorking));
 */
export const working$ = (events$: Observable<LiveEvent>): Observable<Working> =>
  events$.pipe(
    // So that the end is one more thing that happens, after which nobody works.
    materialize(),
    scan(
      ({ progress }, { kind, value }): Change => {
        const next =
          kind === 'N' && value !== undefined
            ? foldProgress(progress, value)
            : ended(progress, progress.status);
        return { progress: next, changes: changesBetween(progress, next) };
      },
      { progress: noProgress, changes: [] } as Change,
    ),
    mergeMap(({ changes }) => changes),
  );

interface Change {
  readonly progress: Progress;
  readonly changes: readonly Working[];
}

const changesBetween = (before: Progress, after: Progress): readonly Working[] => {
  if (before.agents === after.agents) return [];
  return Object.values(after.agents)
    .filter(({ path, isWorking }) => isWorking !== (before.agents[path]?.isWorking ?? false))
    .map(({ path, isWorking }) => ({ path, isWorking }));
};
