import * as z from 'zod/mini';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import { isTroupeError } from '../../contracts/errors/error.ts';
import type { Approver } from '../../contracts/people/approval-terms.ts';
import type { Message } from '../../contracts/messages/message.ts';
import { onDemand } from '../../base/on-demand.ts';
import type { ApprovalOptions } from '../../contracts/people/check-answer.ts';
import { forbiddenTo } from '../people/person-words.ts';
import type { Handle } from '../run/handle.ts';

/** A request for a person, by its id or its call's id. */
type OfRequest = { readonly id: string } | { readonly callId: string };

/** The person who answers, where the request needs a role or several people. */
interface Answering {
  readonly by?: Approver | undefined;
}

/**
 * Commands that an app may send to the actor of an agent or a team: the methods of a `RunHandle` as events. Other events are ignored.
 *
 * `message` and `reply` are earlier names of `send` and `answer`. `send` and `abort` act on the member that they are sent to; the others
 * act on the run.
 */
export type AgentCommand =
  | {
      readonly type: 'send' | 'message';
      readonly message: string | Message;
      /** Default: the actor that receives the command. */
      readonly path?: string | undefined;
    }
  | ({ readonly type: 'approve'; readonly input?: Json | undefined } & OfRequest & Answering)
  | ({ readonly type: 'deny'; readonly reason?: string | undefined } & OfRequest & Answering)
  /** Without an id it answers the oldest question. */
  | { readonly type: 'answer' | 'reply'; readonly text: string; readonly id?: string | undefined }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  /** Continues to the next CHECK_STOP (default), or by one effect, then pauses again. */
  | { readonly type: 'step'; readonly unit?: 'step' | 'effect' | undefined }
  | { readonly type: 'abort'; readonly reason?: string | undefined };

const commandSchema = onDemand(() => {
  const text = z.string();
  // No `catch`: with it a bundler takes all of zod's helpers.
  const reason = z.pipe(
    z.optional(z.unknown()),
    z.transform((given) => (typeof given === 'string' ? given : undefined)),
  );
  const by = z.optional(z.object({ name: text, roles: z.optional(z.array(text)) }));
  const ofRequest = { by, id: z.optional(text), callId: z.optional(text) };
  return z.discriminatedUnion('type', [
    z.object({
      type: z.enum(['send', 'message']),
      message: z.union([text, z.object({ from: text, text, data: z.optional(z.json()) })]),
      path: z.optional(text),
    }),
    // Strict: by a misspelt `input` the original arguments would be approved.
    z.strictObject({ type: z.literal('approve'), ...ofRequest, input: z.optional(z.json()) }),
    z.object({ type: z.literal('deny'), ...ofRequest, reason }),
    z.object({ type: z.enum(['answer', 'reply']), text, id: z.optional(text) }),
    z.object({ type: z.literal('pause') }),
    z.object({ type: z.literal('resume') }),
    z.object({ type: z.literal('step'), unit: z.optional(z.enum(['step', 'effect'])) }),
    z.object({ type: z.literal('abort'), reason }),
  ]);
});

/** A parsed command. */
export type ReadCommand = z.infer<ReturnType<typeof commandSchema>>;

/** Parses an event of the app; undefined if it is not a command, as it must not break the app. */
export const readCommand = (event: unknown): ReadCommand | undefined => commandSchema().safeParse(event).data;

/** Executes a command on a run, or on its member at `path`. */
export const obey = (handle: Handle<unknown, unknown>, command: ReadCommand, path?: string): void => {
  switch (command.type) {
    case 'send':
    case 'message':
      handle.send(command.message, command.path ?? path);
      break;
    case 'approve': {
      const { id = command.callId, input, by } = command;
      if (id !== undefined) approve(handle, id, { input, by });
      break;
    }
    case 'deny': {
      const { id = command.callId } = command;
      if (id !== undefined) handle.deny(id, command.reason, { by: command.by });
      break;
    }
    case 'answer':
    case 'reply':
      handle.reply(command.text, command.id);
      break;
    case 'pause':
      handle.pause();
      break;
    case 'resume':
      handle.resume();
      break;
    case 'step':
      void handle.step(command.unit);
      break;
    case 'abort':
      if (path === undefined) handle.abort(command.reason);
      else handle.stop(path, command.reason);
  }
};

/** Approves a call; a person who may not is on record as refused, and breaks nothing. */
const approve = (handle: Handle<unknown, unknown>, id: string, options: ApprovalOptions): void => {
  try {
    handle.approve(id, options);
  } catch (thrown) {
    if (!isTroupeError(thrown, 'request.forbidden')) throw thrown;
  }
};

/** Checks whether a command would have an effect now. */
export const canObey = (
  {
    requests,
    isPaused,
    fits,
  }: {
    readonly requests: Handle<unknown, unknown>['requests'];
    readonly isPaused: boolean;
    /** Checks the arguments that a call is to be made with. */
    readonly fits: (requestId: string, input: Json, by?: Approver) => boolean;
  },
  command: ReadCommand,
): boolean => {
  switch (command.type) {
    case 'approve':
    case 'deny': {
      const { id = command.callId } = command;
      const { by } = command;
      const isApproved = command.type === 'approve';
      const input = isApproved ? command.input : undefined;
      return requests.some(
        (request) =>
          request.kind !== 'question' &&
          (request.id === id || request.callId === id) &&
          forbiddenTo(request, { isApproved, by }) === undefined &&
          (input === undefined || fits(request.id, input, by)),
      );
    }
    case 'answer':
    case 'reply': {
      const { id } = command;
      return requests.some(
        (request) => request.kind === 'question' && (id === undefined || request.id === id),
      );
    }
    case 'pause':
      return !isPaused;
    case 'resume':
      return isPaused;
    default:
      return true;
  }
};

/** Events that change which commands are possible, without a move of any machine. */
export const CHANGES_WHAT_CAN_BE: ReadonlySet<LiveEvent['type']> = new Set<LiveEvent['type']>([
  'run.paused',
  'run.resumed',
  'tool.approval-requested',
  'tool.ambiguous',
  'tool.approval-given',
  'tool.approved',
  'tool.denied',
  'person.asked',
  'person.answered',
  'request.withdrawn',
]);
