import * as z from 'zod';
import { TroupeError } from '../../contracts/errors/error.ts';
import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { byOf } from '../../contracts/people/check-answer.ts';
import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import type { OpenRequest } from '../../contracts/people/request.ts';
import { EXPIRED } from '../../contracts/people/request.ts';
import { answerRequest, openRequests } from '../../runtime/journal/letters/requests.ts';
import { misfitOf } from '../../runtime/people/person-words.ts';
import type { PersonAnswer } from '../../runtime/people/request-book.ts';
import type { Breakpoint } from '../recording/breakpoint.ts';
import { breakpointSchema } from '../recording/breakpoint.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { Caller } from './caller.ts';
import { editedInput } from './edited-input.ts';
import { forkSchemas } from './forks/fork-command.ts';
import type { ForkDesk } from './forks/fork-run.ts';
import { changeFormOf, forkRun, stateFormFor } from './forks/fork-run.ts';
import type { ScheduleCommand } from './schedules/schedule-command.ts';
import { changeSchedule, scheduleSchema } from './schedules/schedule-command.ts';
import { trialSchemas } from './trial/trial-command.ts';
import type { Trials } from './trial/trials.ts';

const text = z.string().max(100_000);
const name = z.string().min(1).max(2_000);
const run = name;
const json: z.ZodType<Json> = z.json();
const by = z.object({ name, roles: z.array(name).max(20).optional() }).optional();

const MOST_BREAKPOINTS = 100;

/** Parses a command for a run, or for a schedule. */
export const commandSchema = z.discriminatedUnion('do', [
  z.object({ do: z.enum(['pause', 'resume', 'step', 'effect']), run }),
  z.object({ do: z.literal('send'), run, text, path: name.optional() }),
  // Strict: by a misspelt `input` the original arguments would be approved.
  z.strictObject({ do: z.literal('approve'), run, id: name, input: json.optional(), by }),
  z.object({ do: z.literal('deny'), run, id: name, reason: text.optional(), text: text.optional(), by }),
  z.object({ do: z.literal('reply'), run, id: name.optional(), text }),
  z.object({ do: z.literal('abort'), run, reason: text.optional() }),
  z.object({ do: z.literal('kill'), run, path: name, reason: text.optional() }),
  z.object({
    do: z.literal('break'),
    run: run.optional(),
    breakpoints: z.array(breakpointSchema).max(MOST_BREAKPOINTS),
  }),
  /** Adds or removes one breakpoint: those set by others at the same time stay. */
  z.object({ do: z.enum(['break-add', 'break-remove']), run: run.optional(), breakpoint: breakpointSchema }),
  ...forkSchemas,
  ...trialSchemas,
  scheduleSchema,
]);

/** A command for a run, or for a schedule. */
export type Command = z.infer<typeof commandSchema>;

/** Checks whether a command is nothing to the runs, nor to who else looks at them. */
export const isAside = ({ do: what }: { readonly do: string }): boolean =>
  ['again', 'again-form', 'change-form', 'state-form'].includes(what);

/** The environment in which commands are executed. */
export interface Desk extends ForkDesk {
  readonly trials: Trials;
}

/**
 * Executes a command; returns the data of its response.
 *
 * @throws {TroupeError} `run.ended` for a run that is not in progress here; `request.unknown`, `message.undelivered`,
 * `agent.unknown`
 * for a missing target; `request.expired`, `input.invalid` for an answer that is late or does not fit; the errors of
 * `answerRequest`, of {@link forkRun}, of {@link Trials}, and of {@link changeSchedule}.
 */
export const carryOut = async (
  command: Command,
  desk: Desk,
  caller: Caller,
): Promise<Readonly<Record<string, Json>>> => {
  switch (command.do) {
    case 'again-form':
      return { form: await desk.trials.formOf(command) };
    case 'again':
      return { answer: await desk.trials.ask(command, caller) };
    case 'break':
      desk.recorder.breakAt(command.breakpoints, command.run);
      return {};
    case 'break-add':
    case 'break-remove':
      changeBreakpoints(command, desk.recorder);
      return {};
    case 'change-form':
      return { form: await changeFormOf(command, desk) };
    case 'state-form':
      return { form: await stateFormFor(command, desk) };
    case 'schedule-pause':
    case 'schedule-resume':
    case 'schedule-remove':
      await changeSchedule(command, desk.store);
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
  {
    do:
      | 'break'
      | 'break-add'
      | 'break-remove'
      | 'fork'
      | 'change-form'
      | 'state-form'
      | 'approve'
      | 'deny'
      | 'reply'
      | 'again-form'
      | 'again'
      | ScheduleCommand['do'];
  }
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
  const { run: runId, id } = command;
  const { store, recorder } = desk;
  const handle = recorder.handles.get(runId);
  if (handle !== undefined) {
    const request = handle.requests.find((each) => each.id === id);
    const meant = asMeant(command, request, desk);
    if (answerHere(meant, handle)) return;
    throw refusalOf(meant, request, desk);
  }
  if (store === undefined || (await store.entry(runId)) === undefined) {
    handleOf(runId, desk);
    return;
  }
  const isEdited = command.do === 'approve' && command.input !== undefined;
  const open = isEdited ? await openRequests(store, runId) : [];
  const request = open.find((each) => each.id === id);
  await answerRequest(store, runId, letterOf(asMeant(command, request, desk)));
};

/** A command whose arguments were edited as the page shows them, with those that are meant. */
const asMeant = (
  command: Answering,
  request: OpenRequest | undefined,
  { recorder: { recording } }: Desk,
): Answering => {
  if (command.do !== 'approve' || command.input === undefined) return command;
  if (request === undefined || request.kind === 'question') return command;
  // The page was sent the same.
  const shown = JSON.parse(recording.line(request.input)) as Json;
  const { input, ...unchanged } = command;
  const meant = editedInput(input, request.input, shown);
  return meant === undefined ? unchanged : { ...unchanged, input: meant };
};

/** Tells why a run does not take an answer. */
const refusalOf = (command: Answering, request: OpenRequest | undefined, { known }: Desk): TroupeError => {
  const { run: runId } = command;
  if (request === undefined)
    return new TroupeError(
      'request.unknown',
      'Cannot answer the request as nobody waits for it any more: it was answered, withdrawn, or has expired',
      { runId },
    );
  const input = command.do === 'approve' ? command.input : undefined;
  const who = command.do === 'approve' ? command.by : undefined;
  const misfit =
    misfitOf(request, answerOf(command)) ??
    (input === undefined ? undefined : known.misfit(runId, request.id, input, who));
  return misfit === undefined
    ? new TroupeError('request.expired', `Cannot answer the request as ${EXPIRED}`, { runId })
    : new TroupeError('input.invalid', `Cannot answer the request as ${misfit}`, { runId });
};

const answerOf = (command: Answering): PersonAnswer => {
  if (command.do === 'reply') return { text: command.text };
  if (command.do === 'deny') return { isApproved: false };
  const { input, by: who } = command;
  return { isApproved: true, ...(input === undefined ? {} : { input }), ...byOf(who) };
};

const answerHere = (command: Answering, handle: RunHandle<unknown, unknown>): boolean => {
  if (command.do === 'approve') return handle.approve(command.id, { input: command.input, by: command.by });
  if (command.do === 'deny')
    return handle.deny(command.id, command.reason ?? command.text, { by: command.by });
  return handle.reply(command.text, command.id);
};

const letterOf = (command: Answering): Parameters<typeof answerRequest>[2] => {
  const { id } = command;
  if (id === undefined) throw new TroupeError('request.unknown', 'Cannot answer as no request was named');
  if (command.do === 'approve') return { id, yes: true, input: command.input, by: command.by };
  if (command.do === 'deny')
    return { id, yes: false, reason: command.reason ?? command.text, by: command.by };
  return { id, text: command.text };
};
