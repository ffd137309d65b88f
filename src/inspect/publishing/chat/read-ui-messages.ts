import type { JsonObject } from '../../../base/json/json.ts';
import { wholeNumber, optional } from '../../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../../contracts/errors/check-options.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import type { Content, GivenPart } from '../../../contracts/content/part.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import type { Approver } from '../../../contracts/people/approval-terms.ts';
import type { RequestAnswer } from '../../../contracts/people/request.ts';
import type { RunHandle } from '../../../contracts/runs/run-handle.ts';
import type { ChatLimits } from './chat-body.ts';
import { readChatBody, refusal } from './chat-body.ts';
import { textOfContent } from './text-of-content.ts';
import { uiCallId } from './ui-chunk.ts';
import { historyOf } from './ui-history.ts';
import type { UiPlace } from './ui-message-fold.ts';
import type { UiMessageIn, UiToolPart } from './ui-message-in.ts';
import { contentOf, readMessages, toolPartOf } from './ui-message-in.ts';

/** A request of `useChat`, as {@link readUiMessages} reads it. */
export interface UiSubmission {
  /** The id of the chat, which the client chooses: check that it is this user's. */
  readonly chatId: string;
  /** `regenerate-message` wants another answer to the last message. */
  readonly trigger: 'submit-message' | 'regenerate-message';
  /** The message that is answered again, or continued. */
  readonly messageId: string | undefined;
  /** The user's message: a text, or parts with its files. `''` if the client sends answers to requests alone. */
  readonly input: Content;
  /** The text of `input`, for what takes no parts. */
  readonly text: string;
  /** The conversation before `input`, as the client tells it: it may be forged. Use the run's `thread` where you can. */
  readonly history: readonly Turn<GivenPart>[];
  /** Answers to requests for approval: also those that were given before. */
  readonly answers: readonly Exclude<RequestAnswer, { readonly text: string }>[];
  /** The place up to which the client has the last message of the assistant, for the option `continues` of {@link uiMessageResponse}. */
  readonly place: UiPlace | undefined;
  /** All other fields of the request: those of the page's option `body`. */
  readonly fields: JsonObject;
  /**
   * Answers the open requests of a run: approvals by their ids, questions by the output that the page gave to the call that asks, or
   * else the oldest one by `input`. False if nothing was answered: then `input` is for another run.
   *
   * @throws {TroupeError} `request.forbidden` if the request needs another person than `by`.
   */
  answer(run: AnswerableRun, options?: { readonly by?: Approver | undefined }): boolean;
}

/** The part of a handle that takes answers. */
type AnswerableRun = Pick<RunHandle<unknown, unknown>, 'runId' | 'requests' | 'approve' | 'deny' | 'reply'>;

/**
 * Reads a request of the AI SDK's `useChat`, as its `DefaultChatTransport` posts it: the new message, the conversation before it,
 * and answers to requests of a run that waits.
 *
 * Nothing in it is to be trusted: a client can write any history, and any result of a tool. So the conversation is best the server's
 * own (`thread`), and only answers to requests that are open count.
 *
 * @example
 * const chat = await readUiMessages(request);
 * const waiting = runs.get(chat.chatId);
 * if (waiting !== undefined && chat.answer(waiting)) return uiMessageResponse(waiting, { continues: chat });
 * waiting?.abort('the user went on');
 * const run = desk.stream(chat.input, { thread: chat.chatId });
 *
 * @throws {TroupeError} (rejects with) `input.invalid` for what no genuine client sends, and limits that are none;
 *   `content.too-large` for more than `maxBytes`.
 */
export const readUiMessages = async (
  /** The request, or its body as parsed JSON. */
  request: unknown,
  limits: ChatLimits = {},
): Promise<UiSubmission> => {
  const body = await readChatBody(request, checkLimits(limits));
  const { id, messages: given, trigger = 'submit-message', messageId, ...fields } = body;
  if (typeof id !== 'string' || id === '') throw refusal(`it has no \`id\` of a chat: ${foundText(id)}`);
  if (trigger !== 'submit-message' && trigger !== 'regenerate-message')
    throw refusal(`its \`trigger\` is unknown: ${foundText(trigger)}`);
  if (messageId !== undefined && typeof messageId !== 'string')
    throw refusal(`its \`messageId\` is no text: ${foundText(messageId)}`);
  const messages = readMessages(given, limits);
  const last = messages.at(-1);
  if (last === undefined) throw refusal('it has no message: found an empty list');
  const isOfUser = last.role === 'user';
  const input = isOfUser ? contentOf(last) : '';
  if (isOfUser && input.length === 0) throw refusal('its last message has no text and no file');
  const assistant = messages.findLast(({ role }) => role === 'assistant');
  const calls = assistant?.parts.flatMap((part) => toolPartOf(part) ?? []) ?? [];
  const answers = calls.flatMap(answerOf);
  return {
    chatId: id,
    trigger,
    messageId,
    input,
    text: textOfContent(input),
    history: historyOf(isOfUser ? messages.slice(0, -1) : messages),
    answers,
    place: assistant === undefined ? undefined : placeOf(assistant, calls, assistant === last),
    fields,
    answer: (run, options = {}) =>
      trigger === 'submit-message' && answerRun(run, { calls, answers, input }, options),
  };
};

const checkLimits = optionsCheck<ChatLimits>(
  { code: 'input.invalid', owner: 'the request of the chat', verb: 'read' },
  () => ({
    maxBytes: optional(wholeNumber(1)),
    maxMessages: optional(wholeNumber(1)),
    maxParts: optional(wholeNumber(1)),
  }),
);

const answerOf = ({ approval }: UiToolPart): UiSubmission['answers'] => {
  const { id, approved, reason } = approval ?? {};
  if (typeof id !== 'string' || typeof approved !== 'boolean') return [];
  if (approved) return [{ id, yes: true }];
  return [{ id, yes: false, ...(typeof reason === 'string' ? { reason } : {}) }];
};

/** A client that is to continue its last message has the calls in it; one that expects another message has none there. */
const placeOf = (
  { id, metadata }: UiMessageIn,
  calls: readonly UiToolPart[],
  isLast: boolean,
): UiPlace | undefined => {
  const { runId, seq } = metadata;
  if (typeof runId !== 'string' || typeof seq !== 'number' || !Number.isInteger(seq)) return undefined;
  const ids = isLast ? calls.map(({ toolCallId }) => toolCallId) : [];
  return { runId, seq, calls: ids, ...(isLast ? { messageId: id } : {}) };
};

interface Given {
  readonly calls: readonly UiToolPart[];
  readonly answers: UiSubmission['answers'];
  readonly input: Content;
}

const answerRun = (
  run: AnswerableRun,
  { calls, answers, input }: Given,
  { by }: { readonly by?: Approver | undefined },
): boolean => {
  let isAnswered = false;
  for (const request of run.requests) {
    if (request.kind === 'question') {
      const { callId, path } = request;
      const asking = callId === undefined ? undefined : uiCallId(run.runId, path, callId);
      const call = calls.find(({ toolCallId, text }) => toolCallId === asking && text !== undefined);
      if (call?.text !== undefined && run.reply(call.text, request.id)) isAnswered = true;
      continue;
    }
    const answer = answers.find(({ id }) => id === request.id);
    if (answer === undefined) continue;
    if (answer.yes ? run.approve(answer.id, { by }) : run.deny(answer.id, answer.reason, { by }))
      isAnswered = true;
  }
  if (input === '' || !run.requests.some(({ kind }) => kind === 'question')) return isAnswered;
  return run.reply(textOfContent(input)) || isAnswered;
};
