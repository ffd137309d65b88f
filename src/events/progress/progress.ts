import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { EventOf, LiveEvent } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import { noTotals } from '../../contracts/events/no-totals.ts';
import type { RunStatus } from '../../contracts/runs/run-status.ts';
import type { RunTotals } from '../../contracts/runs/run-totals.ts';
import { amount, joinParts, nameOf } from './activity.ts';
import { addTotals } from './add-totals.ts';
import type { AgentsProgress } from './agent-progress.ts';
import { foldAgents } from './agent-progress.ts';
import type { ProgressMessage } from './progress-message.ts';
import { foldMessages } from './progress-message.ts';
import type { ProgressRequest } from './progress-request.ts';
import { foldRequests } from './progress-request.ts';
import type { Speech } from './speech.ts';
import { foldSpeeches, NONE } from './speech.ts';

/** A text and its speaker. */
export interface SaidText {
  readonly path: string;
  readonly text: string;
}

/** The progress of a run: all that a page or a terminal needs to draw it. Plain JSON; unchanged parts stay the same objects. */
export interface Progress {
  /** Undefined before the first event. */
  readonly runId: string | undefined;
  readonly status: 'running' | 'paused' | RunStatus;
  /** Path of the agent or team that was run. */
  readonly root: string | undefined;
  /** Phase of the root: `DECIDE`, `waiting`, `completed` … */
  readonly phase: string | undefined;
  /** Step of the root, from 0. */
  readonly step: number | undefined;
  /** Path of the current or last speaker. */
  readonly speaker: string | undefined;
  /** The speaker's text as it streams, then the complete text. Discarded text is removed. */
  readonly text: string;
  /** True while more of `text` is expected. */
  readonly isStreaming: boolean;
  /** The last complete text. */
  readonly lastSaid: SaidText | undefined;
  /** Streaming texts of models, newest last. */
  readonly speeches: readonly Speech[];
  /** Messages, oldest first. */
  readonly messages: readonly ProgressMessage[];
  /** Requests to people with their outcomes, oldest first. */
  readonly requests: readonly ProgressRequest[];
  /** All agents of the run: the root and its members. */
  readonly agents: AgentsProgress;
  /** Totals so far; after the end, those of the runtime. `durationMs` is 0 until then. */
  readonly totals: RunTotals;
  /** Set once the run has completed. */
  readonly output: Json | undefined;
  /** Set once the run is over. */
  readonly stopReason: EventOf<'run.ended'>['stopReason'] | undefined;
  /** The reason why the run failed. */
  readonly error: ErrorData | undefined;
}

/** Progress before the first event. */
export const noProgress: Progress = {
  runId: undefined,
  status: 'running',
  root: undefined,
  phase: undefined,
  step: undefined,
  speaker: undefined,
  text: '',
  isStreaming: false,
  lastSaid: undefined,
  speeches: NONE,
  messages: [],
  requests: [],
  agents: {},
  totals: noTotals,
  output: undefined,
  stopReason: undefined,
  error: undefined,
};

/**
 * Applies an event to the progress. Pure; returns the same object if nothing changes.
 *
 * Deltas are a preview only: with or without them, live or from the log after a reconnect, the result is the same. A second run keeps the
 * messages and resets everything else, so that the runs of a thread read as one conversation.
 *
 * @example
 * handle.events$.pipe(scan(foldProgress, noProgress)).subscribe((progress) => draw(progressLine(progress)));
 *
 * @throws {TroupeError} `stream.invalid` for what is no event: that comes from elsewhere.
 */
export const foldProgress = (progress: Progress, event: LiveEvent): Progress => {
  try {
    return foldEvent(progress, event);
  } catch (cause) {
    const message = `Cannot follow a run as an event is invalid: ${nameOf(String(Object(event).type))}`;
    throw new TroupeError('stream.invalid', message, { cause });
  }
};

const foldEvent = (progress: Progress, event: LiveEvent): Progress => {
  if (event.type === 'observer.failed') return progress;
  const before = event.type === 'run.started' ? startProgress(progress, event) : progress;
  const speeches = foldSpeeches(before.speeches, event);
  if (event.type === 'model.delta')
    return speeches === before.speeches ? progress : withSpeech({ ...before, speeches });
  const messages = foldMessages(before.messages, event);
  const parts: Partial<Progress> = {
    speeches,
    messages,
    requests: foldRequests(before.requests, event),
    agents: foldAgents(before.agents, event),
    totals: addTotals(before.totals, event),
    lastSaid: lastSaidOf(before, messages),
    ...lifeAfter(before, event),
  };
  return before === progress && isPartOf(before, parts) ? progress : withSpeech({ ...before, ...parts });
};

const isPartOf = (progress: Progress, parts: Partial<Progress>): boolean =>
  Object.entries(parts).every(([name, part]) => part === Reflect.get(progress, name));

const startProgress = (progress: Progress, { runId, path }: LiveEvent): Progress => ({
  ...noProgress,
  lastSaid: progress.lastSaid,
  messages: progress.messages,
  runId,
  root: path,
});

const lifeAfter = (
  { root, step }: Progress,
  event: Exclude<LiveEvent, { type: 'model.delta' }>,
): Partial<Progress> => {
  switch (event.type) {
    case 'run.paused':
      return { status: 'paused' };
    case 'run.resumed':
      return { status: 'running' };
    case 'run.ended': {
      const { status, stopReason, output, error } = event;
      return { status, stopReason, output, error };
    }
    case 'phase.entered':
      return event.path === root ? { phase: event.phase, step: event.step ?? step } : {};
    default:
      return {};
  }
};

/** Updates the speaker and the text. */
const withSpeech = (progress: Progress): Progress => {
  const { speeches, lastSaid } = progress;
  const speech = speeches.findLast(({ text }) => text !== '');
  const said = speech ?? lastSaid;
  return { ...progress, speaker: said?.path, text: said?.text ?? '', isStreaming: speech !== undefined };
};

/** The last complete text; only the newest message is examined. */
const lastSaidOf = ({ lastSaid, messages: before }: Progress, messages: Progress['messages']) => {
  const newest = messages.length > before.length ? messages.at(-1) : undefined;
  if (newest === undefined || newest.role !== 'assistant' || newest.text === '') return lastSaid;
  return { path: newest.path, text: newest.text };
};

/**
 * One line for a terminal: active agents with their activity, and totals.
 *
 * @example
 * progressLine(progress) // => 'researcher-1 · ACT · Reading config.json | writer · DECIDE · Thinking | 7 steps, 1,234 tokens'
 */
export const progressLine = ({ status, agents, totals }: Progress): string => {
  const working = Object.values(agents).filter(({ isWorking }) => isWorking);
  const lines = working.slice(0, SHOWN).map(({ path, phase, tools, activity }) => {
    const doing =
      Object.values(tools)
        .map((tool) => tool.activity)
        .join(', ') || activity;
    return joinParts(nameOf(path), phase, doing);
  });
  const more = working.length > SHOWN ? [`${working.length - SHOWN} more`] : [];
  const state = status === 'running' ? [] : [status];
  const tokens = totals.inputTokens + totals.outputTokens;
  return [...state, ...lines, ...more, `${amount(totals.steps)} steps, ${amount(tokens)} tokens`].join(' | ');
};

/** Largest number of agents in a line. */
const SHOWN = 4;
