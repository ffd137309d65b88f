import { isTroupeError } from '../../../contracts/errors/error.ts';
import { jsonReply } from '../http/reply.ts';
import { refusal } from '../http/refusal.ts';
import { matchRoute } from '../http/match-route.ts';
import type { Route } from '../http/routes.ts';
import { assertMay } from '../http/callers.ts';
import { abortRun } from '../runs/reach-run.ts';
import type { ServedAgent } from '../runs/served-names.ts';
import type { Caller } from '../serve-options.ts';
import type { Admitted, Serving } from '../serving.ts';
import { completeChat } from './chat-operation.ts';
import type { KeptResponse } from './kept-response.ts';
import { answerSoFar, findResponse } from './kept-response.ts';
import { respond, streamResponse } from './respond.ts';
import { ResponseBook } from './response-facts.ts';
import { endedResponse, openResponse } from './response-object.ts';
import type { ResponseServing } from './response-serving.ts';
import { AnswerError, paramError, wireErrorReply } from './wire-error.ts';

type FaceRoute = 'models' | 'model' | 'chat' | 'respond' | 'retrieve' | 'cancel' | 'delete';

const faceRoutes: readonly Route<FaceRoute>[] = [
  { name: 'models', method: 'GET', path: '/v1/models', needs: undefined, summary: 'Lists the agents.' },
  { name: 'model', method: 'GET', path: '/v1/models/{model}', needs: undefined, summary: 'Gives an agent.' },
  {
    name: 'chat',
    method: 'POST',
    path: '/v1/chat/completions',
    needs: 'start',
    summary: 'Answers a conversation.',
  },
  { name: 'respond', method: 'POST', path: '/v1/responses', needs: 'start', summary: 'Makes a response.' },
  {
    name: 'retrieve',
    method: 'GET',
    path: '/v1/responses/{response}',
    needs: 'watch',
    summary: 'Gives a response.',
  },
  {
    name: 'cancel',
    method: 'POST',
    path: '/v1/responses/{response}/cancel',
    needs: 'control',
    summary: 'Ends a response in the background.',
  },
  {
    name: 'delete',
    method: 'DELETE',
    path: '/v1/responses/{response}',
    needs: 'control',
    summary: 'Forgets a response.',
  },
];

/** The agents of a server as models of OpenAI: Chat Completions, and Responses. */
export class OpenAiFace {
  readonly #serving: ResponseServing;

  constructor(serving: Serving) {
    this.#serving = { ...serving, book: new ResponseBook(serving.store) };
  }

  /**
   * Answers a request below `/v1`.
   *
   * @throws {TroupeError} what {@link wireErrorReply} makes a response of
   */
  async answer(
    request: Request,
    pathname: string,
    callerOf: (request: Request) => Promise<Caller>,
  ): Promise<Response> {
    const matched = matchRoute(faceRoutes, request.method, pathname);
    if (matched === undefined) throw refusal(404, 'there is nothing of that address');
    if ('allowed' in matched) {
      const allow = matched.allowed.join(', ');
      return wireErrorReply(refusal(405, `this address takes ${allow} only`), { allow });
    }
    const { route, names } = matched;
    const caller = await callerOf(request);
    if (route.needs !== undefined) assertMay(caller, route.needs);
    const admitted = { request, url: new URL(request.url), caller, names };
    try {
      return await operations[route.name](this.#serving, admitted);
    } catch (thrown) {
      // No failure of the server: its operator is not notified.
      if (thrown instanceof AnswerError) return wireErrorReply(thrown);
      throw thrown;
    }
  }
}

type Operation = (serving: ResponseServing, admitted: Admitted) => Promise<Response>;

const operations: Readonly<Record<FaceRoute, Operation>> = {
  models: async ({ names }) => jsonReply({ object: 'list', data: names.all.map(modelOf) }),
  model: async (serving, { names }) => jsonReply(modelOf(serving.names.called(names['model'] ?? ''))),
  chat: completeChat,
  respond,

  retrieve: async (serving, admitted) => {
    const kept = await findKept(serving, admitted);
    const { searchParams } = admitted.url;
    if (searchParams.get('stream') === 'true')
      return streamResponse(serving, admitted, { ...kept, after: placeIn(searchParams) });
    return jsonReply(await responseNow(serving, kept));
  },

  cancel: async (serving, admitted) => {
    const kept = await findKept(serving, admitted);
    if (!kept.facts.isBackground)
      throw paramError('response_id', 'only a response in the background is cancelled');
    const { found } = kept.answering;
    const reason = `cancelled by '${admitted.caller.who}'`;
    await abortRun(serving, found, reason).catch(ignoreEnded);
    await found.live?.over;
    return jsonReply(await responseNow(serving, await findKept(serving, admitted)));
  },

  delete: async (serving, admitted) => {
    const { facts, answering } = await findKept(serving, admitted);
    await serving.book.remove(facts.id);
    const { live } = answering.found;
    // Nobody can fetch it any more.
    if (live?.isOver === false) live.handle.abort('its response was deleted');
    return jsonReply({ id: facts.id, object: 'response', deleted: true });
  },
};

/** Agents have no date: they are what the server's program says. */
const modelOf = ({ name }: ServedAgent) => ({ id: name, object: 'model', created: 0, owned_by: 'troupe' });

const findKept = (serving: ResponseServing, { names, caller }: Admitted): Promise<KeptResponse> =>
  findResponse(serving, names['response'] ?? '', caller);

/** A response as it is by now. */
const responseNow = async (serving: Serving, { facts, answering }: KeptResponse): Promise<unknown> => {
  const { end } = await answerSoFar(serving, answering);
  if (end !== undefined) return endedResponse(facts, answering.place, end);
  const isQueued = answering.found.live?.entry.status === 'queued';
  return openResponse(facts, isQueued ? 'queued' : 'in_progress');
};

/** The number of the event that a client has last. @throws {TroupeError} `input.invalid` */
const placeIn = (query: URLSearchParams): number | undefined => {
  const after = query.get('starting_after');
  if (after === null) return undefined;
  if (/^\d{1,15}$/.test(after)) return Number(after);
  throw paramError('starting_after', "'starting_after' is no number of an event");
};

const ignoreEnded = (thrown: unknown): void => {
  if (!isTroupeError(thrown, 'run.ended')) throw thrown;
};
