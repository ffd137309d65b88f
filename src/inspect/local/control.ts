import * as z from 'zod';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import { fork } from '../../runtime/journal/resume/fork.ts';
import { answerRequest } from '../../runtime/journal/letters/requests.ts';
import type { Breakpoint } from '../recording/breakpoint.ts';
import { breakpointSchema } from '../recording/breakpoint.ts';
import type { Recorder } from '../recording/recorder.ts';
import { eventAt } from './event-at.ts';
import type { StoredFeeds } from './stored-feeds.ts';

const text = z.string().max(100_000);
const name = z.string().min(1).max(2_000);
const run = name;
const count = z.number().int().nonnegative();
const json: z.ZodType<Json> = z.json();

const MOST_BREAKPOINTS = 100;

/** Parses a command for a run. */
export const commandSchema = z.discriminatedUnion('do', [
  z.object({ do: z.enum(['pause', 'resume', 'step', 'effect']), run }),
  z.object({ do: z.literal('send'), run, text, path: name.optional() }),
  // Strict: by a misspelt `input` the original arguments would be approved.
  z.strictObject({ do: z.literal('approve'), run, id: name, input: json.optional() }),
  z.object({ do: z.literal('deny'), run, id: name, reason: text.optional(), text: text.optional() }),
  z.object({ do: z.literal('reply'), run, id: name.optional(), text }),
  z.object({ do: z.literal('abort'), run, reason: text.optional() }),
  z.object({ do: z.literal('kill'), run, path: name, reason: text.optional() }),
  z.object({
    do: z.literal('fork'),
    run,
    /** A place in its recording, a step of its root, or an event. Default: where it is. */
    at: z.union([count, z.object({ step: count }), z.object({ seq: count })]).optional(),
    message: text.optional(),
  }),
  z.object({
    do: z.literal('break'),
    run: run.optional(),
    breakpoints: z.array(breakpointSchema).max(MOST_BREAKPOINTS),
  }),
  /** Adds or removes one breakpoint: those set by others at the same time stay. */
  z.object({ do: z.enum(['break-add', 'break-remove']), run: run.optional(), breakpoint: breakpointSchema }),
]);

/** A command for a run. */
export type Command = z.infer<typeof commandSchema>;

/** The environment in which commands are executed. */
export interface Desk {
  readonly recorder: Recorder;
  readonly store: JournalStore | undefined;
  readonly stored: StoredFeeds | undefined;
}

/**
 * Executes a command; returns the data of its response.
 *
 * @throws {TroupeError} `run.ended` for a run that is not in progress here; `request.unknown`, `message.undelivered`,
 * `agent.unknown`
 * for a missing target; `journal.unknown` for a fork of a run that is not stored; the errors of `fork` and
 * `answerRequest`.
 */
export const carryOut = async (command: Command, desk: Desk): Promise<Readonly<Record<string, Json>>> => {
  switch (command.do) {
    case 'break':
      desk.recorder.breakAt(command.breakpoints, command.run);
      return {};
    case 'break-add':
    case 'break-remove':
      changeBreakpoints(command, desk.recorder);
      return {};
    case 'fork':
      return { run: await forkRun(command, desk) };
    case 'approve':
    case 'deny':
    case 'reply':
      await answer(command, desk);
      return {};
    default:
      steer(command, handleOf(command.run, desk));
      return {};
  }
};

const changeBreakpoints = (
  { do: what, run: runId, breakpoint }: Extract<Command, { do: 'break-add' | 'break-remove' }>,
  recorder: Recorder,
): void => {
  const isIt = (each: Breakpoint): boolean => canonical(toJson(each)) === canonical(toJson(breakpoint));
  const others = recorder.breakpoints(runId).filter((each) => !isIt(each));
  if (what === 'break-add' && others.length >= MOST_BREAKPOINTS)
    throw new TroupeError('input.invalid', `Cannot add a breakpoint as there are ${MOST_BREAKPOINTS}`);
  recorder.breakAt(what === 'break-add' ? [...others, breakpoint] : others, runId);
};

type Steering = Exclude<
  Command,
  { do: 'break' | 'break-add' | 'break-remove' | 'fork' | 'approve' | 'deny' | 'reply' }
>;

const steer = (command: Steering, handle: RunHandle<unknown, unknown>): void => {
  switch (command.do) {
    case 'pause':
      handle.pause();
      return;
    case 'resume':
      handle.resume();
      return;
    case 'step':
    case 'effect':
      // Not awaited: progress is visible on the page, and a step may take as long as a model does.
      void handle.step(command.do);
      return;
    case 'send':
      if (handle.send(command.text, command.path)) return;
      throw new TroupeError('message.undelivered', 'Cannot send the message as the receiver is not there');
    case 'abort':
      handle.abort(command.reason ?? BY_HAND);
      return;
    case 'kill':
      if (handle.stop(command.path, command.reason ?? BY_HAND)) return;
      throw new TroupeError(
        'agent.unknown',
        `Cannot stop '${command.path}' as no member of the run is there: the whole run is aborted`,
      );
  }
};

const BY_HAND = 'by hand, in the inspector';

const handleOf = (runId: string, { recorder }: Desk): RunHandle<unknown, unknown> => {
  const handle = recorder.handles.get(runId);
  if (handle !== undefined) return handle;
  throw new TroupeError('run.ended', `Cannot reach run '${runId}' as it is not in progress in this process`, {
    runId,
  });
};

type Answering = Extract<Command, { do: 'approve' | 'deny' | 'reply' }>;

/** Answers here, or by a letter to the process that holds the run. */
const answer = async (command: Answering, desk: Desk): Promise<void> => {
  const { run: runId } = command;
  const { store, recorder } = desk;
  const handle = recorder.handles.get(runId);
  if (handle !== undefined) {
    if (answerHere(command, handle)) return;
    throw new TroupeError(
      'request.unknown',
      'Cannot answer as the request is closed, or the answer is invalid',
    );
  }
  if (store === undefined || (await store.entry(runId)) === undefined) handleOf(runId, desk);
  else await answerRequest(store, runId, letterOf(command));
};

const answerHere = (command: Answering, handle: RunHandle<unknown, unknown>): boolean => {
  if (command.do === 'approve') return handle.approve(command.id, { input: command.input });
  if (command.do === 'deny') return handle.deny(command.id, command.reason ?? command.text);
  return handle.reply(command.text, command.id);
};

const letterOf = (command: Answering): Parameters<typeof answerRequest>[2] => {
  const { id } = command;
  if (id === undefined) throw new TroupeError('request.unknown', 'Cannot answer as no request was named');
  if (command.do === 'approve') return { id, yes: true, input: command.input };
  if (command.do === 'deny') return { id, yes: false, reason: command.reason ?? command.text };
  return { id, text: command.text };
};

/** Forks a stored run; returns the id of the new one. */
const forkRun = async (command: Extract<Command, { do: 'fork' }>, desk: Desk): Promise<string> => {
  const { run: runId, at, message } = command;
  const { store, stored, recorder } = desk;
  if (store === undefined || stored === undefined)
    throw new TroupeError('journal.unknown', `Cannot fork run '${runId}' as there is no store`, { runId });
  const agent = await stored.agentOf(runId);
  const isHere = recorder.runs.some((each) => each.runId === runId);
  const seen = isHere ? recorder.recording : (await stored.at(runId)).recording;
  const point = typeof at === 'number' ? eventAt(seen, runId, at) : at;
  const handle = await fork(agent, runId, { store, at: point, change: { message }, inspect: recorder });
  return handle.runId;
};
