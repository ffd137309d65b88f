import { callerKeyOf } from '../http/callers.ts';
import { SAFE_HEADERS, jsonReply } from '../http/reply.ts';
import { drainingError } from '../runs/run-errors.ts';
import type { Admitted, Serving } from '../serving.ts';
import { flatMapItems } from '../streams/event-source.ts';
import { sseStream } from '../streams/sse.ts';
import type { AnswerPiece } from './answer-piece.ts';
import { abandon, endOf, flowOf, startAnswer } from './answering.ts';
import { readChatRequest } from './chat-request.ts';
import { ChatChunks, chatCompletion, chatFailure } from './chat-wire.ts';
import { continueAnswer } from './continue-answer.ts';
import { effectHeaders, readBody } from './read-body.ts';

/**
 * Answers `POST /v1/chat/completions`: the last message is the input of a run, those before are its history; results of tools continue the
 * run that called them.
 *
 * A run whose client goes away is aborted, as nobody can read its answer, unless the request has an idempotency key.
 */
export const completeChat = async (serving: Serving, admitted: Admitted): Promise<Response> => {
  const { request, caller } = admitted;
  const chat = readChatRequest(await readBody(serving, request));
  const { model, told, isStreamed, includesUsage, ignored } = chat;
  if (isStreamed && serving.runs.isDraining) throw drainingError();
  const { input, history } = told;
  const answering =
    input === undefined
      ? await continueAnswer(serving, admitted, { ...told, model }, 'messages')
      : await startAnswer(serving, admitted, {
          ...chat,
          input,
          history,
          formatParam: 'response_format',
        });
  const { runId, part } = answering.place;
  const facts = { id: `chatcmpl-${runId}${part === 0 ? '' : `_${part}`}`, model, runId };
  const isKept = request.headers.has('idempotency-key');
  const headers = effectHeaders(ignored);
  if (!isStreamed)
    return jsonReply(chatCompletion(facts, await endOf(serving, admitted, answering, isKept)), 200, headers);
  const { pieces, isOver } = flowOf(serving, answering);
  const chunks = new ChatChunks(facts, includesUsage);
  const texts = flatMapItems<AnswerPiece, string>(pieces, (piece) => {
    const text = chunks.textOf(piece);
    return text === '' ? [] : [text];
  });
  const left = {
    next: () => texts.next(),
    return: () => {
      if (!isOver() && !isKept && !serving.runs.isDraining) abandon(answering);
      return texts.return?.() ?? Promise.resolve({ value: undefined, done: true as const });
    },
  };
  const opened = serving.streams.open(callerKeyOf(caller), left, () => chatFailure(drainingError()));
  return sseStream(opened, '', { clock: serving.clock, headers: { ...SAFE_HEADERS, ...headers } });
};
