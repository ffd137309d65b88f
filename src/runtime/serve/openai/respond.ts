import type { GivenPart } from '../../../contracts/content/part.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import { callerKeyOf } from '../http/callers.ts';
import { jsonReply, SAFE_HEADERS } from '../http/reply.ts';
import { drainingError } from '../runs/run-errors.ts';
import type { Admitted } from '../serving.ts';
import { flatMapItems } from '../streams/event-source.ts';
import { sseStream } from '../streams/sse.ts';
import type { AnswerPiece } from './answer-piece.ts';
import type { Answering } from './answering.ts';
import { abandon, endOf, flowOf, startAnswer } from './answering.ts';
import { continueAnswer, replyToQuestion } from './continue-answer.ts';
import type { KeptResponse } from './kept-response.ts';
import { answerSoFar, conversationOf, findResponse } from './kept-response.ts';
import { effectHeaders, readBody } from './read-body.ts';
import { textOf } from './read-parts.ts';
import type { ResponseFacts } from './response-facts.ts';
import { endedResponse, openResponse } from './response-object.ts';
import type { ResponseServing } from './response-serving.ts';
import { ResponseStream } from './response-stream.ts';
import type { ResponsesRequest } from './responses-request.ts';
import { readResponsesRequest } from './responses-request.ts';
import { resolveItems } from './resolve-items.ts';
import { readConversation } from './wire-conversation.ts';
import { AnswerError, answerError, paramError } from './wire-error.ts';
import { responseIdOf } from './wire-ids.ts';

/**
 * Answers `POST /v1/responses`: the last message is the input of a run, what came before, with `previous_response_id`, is its history;
 * outputs of functions and approvals continue the run that waits for them.
 *
 * A response that is stored goes on when its client goes away, and is fetched by its id; with `store: false` its run is aborted.
 */
export const respond = async (serving: ResponseServing, admitted: Admitted): Promise<Response> => {
  const asked = readResponsesRequest(await readBody(serving, admitted.request));
  if (serving.runs.isDraining) throw drainingError();
  const answering = await answeringFor(serving, admitted, asked);
  const { isStored, isBackground, isStreamed, ignored } = asked;
  const id = responseIdOf(answering.place);
  const facts = (await serving.book.read(id)) ?? factsOf(serving, asked, answering);
  if (isStored) await serving.book.write(facts);
  const headers = effectHeaders(ignored);
  if (isStreamed) return streamResponse(serving, admitted, { facts, answering, headers, isKept: isStored });
  if (isBackground) {
    const status = answering.found.live?.entry.status === 'queued' ? 'queued' : 'in_progress';
    return jsonReply(openResponse(facts, status), 200, headers);
  }
  const end = await endOf(serving, admitted, answering, isStored);
  if (end.kind === 'failed') throw answerError(end);
  if (end.kind === 'left')
    throw new AnswerError({
      status: 503,
      code: 'run.suspended',
      message: `The server is shutting down: retrieve '${id}' later`,
    });
  return jsonReply(endedResponse(facts, answering.place, end), 200, headers);
};

/** Streams a response, from the event after a number on. */
export const streamResponse = (
  serving: ResponseServing,
  { caller }: Admitted,
  {
    facts,
    answering,
    headers = {},
    isKept = true,
    after,
  }: KeptResponse & {
    readonly headers?: Readonly<Record<string, string>>;
    readonly isKept?: boolean;
    readonly after?: number | undefined;
  },
): Response => {
  const { pieces, isOver } = flowOf(serving, answering);
  const stream = new ResponseStream(facts, answering.place, after);
  const texts = flatMapItems<AnswerPiece, string>(pieces, (piece) => {
    const text = stream.textOf(piece);
    return text === '' ? [] : [text];
  });
  const left = {
    next: () => texts.next(),
    return: () => {
      if (!isOver() && !isKept && !serving.runs.isDraining) abandon(answering);
      return texts.return?.() ?? Promise.resolve({ value: undefined, done: true as const });
    },
  };
  const opened = serving.streams.open(callerKeyOf(caller), left, () => stream.farewell);
  return sseStream(opened, '', { clock: serving.clock, headers: { ...SAFE_HEADERS, ...headers } });
};

const answeringFor = async (
  serving: ResponseServing,
  admitted: Admitted,
  asked: ResponsesRequest,
): Promise<Answering> => {
  const { items, previous, instructions, model, tools, format } = asked;
  const told = readConversation(await resolveItems(serving, admitted.caller, items), 'input');
  const { input } = told;
  if (input === undefined) return continueAnswer(serving, admitted, { ...told, model }, 'input');
  let history: readonly Turn<GivenPart>[] = told.history;
  if (previous !== undefined) {
    const before = await findResponse(serving, previous, admitted.caller, 'previous_response_id');
    const { end, events } = await answerSoFar(serving, before.answering);
    const question =
      end?.kind === 'waiting' ? end.requests.find(({ kind }) => kind === 'question') : undefined;
    if (question !== undefined && end?.calls.length === 0)
      return replyToQuestion(serving, admitted, before.answering.found, {
        request: question.id,
        text: textOf(input),
      });
    assertOver(end?.kind);
    history = [...(await conversationOf(serving, before, events)), ...history];
  }
  return startAnswer(serving, admitted, {
    model,
    input,
    history:
      instructions === undefined || instructions === ''
        ? history
        : [...history, { role: 'user', from: 'client', text: instructions }],
    tools,
    format,
    formatParam: 'text.format',
  });
};

/** @throws {TroupeError} `input.invalid` for a response that nothing follows yet */
const assertOver = (kind: string | undefined): void => {
  const why = {
    waiting: 'the response waits for the outputs of its calls, or for approvals: send these first',
    failed: 'the response failed: continue the one before it',
    left: 'the response is not over yet',
  };
  if (kind === undefined || kind === 'waiting' || kind === 'failed' || kind === 'left')
    throw paramError('previous_response_id', why[kind ?? 'left']);
};

const factsOf = (
  { clock }: ResponseServing,
  {
    model,
    previous,
    instructions,
    metadata,
    isBackground,
    isStored,
    isParallel,
    toolsGiven,
    format,
  }: ResponsesRequest,
  { place, after }: Answering,
): ResponseFacts => ({
  id: responseIdOf(place),
  createdAt: clock.now(),
  model,
  previous: previous ?? null,
  instructions: instructions ?? null,
  metadata,
  isBackground,
  isStored,
  isParallel,
  tools: toolsGiven,
  after,
  format: format ?? null,
});
