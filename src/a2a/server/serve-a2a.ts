import type { AgentCard } from '@a2a-js/sdk';
import { toJson } from '../../base/json/json.ts';
import { aBoolean, aFunction, aText, fulfilling, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import { nodeListener } from '../../runtime/serve/http/node-listener.ts';
import { refusal } from '../../runtime/serve/http/refusal.ts';
import { errorReply, isServerFailure } from '../../runtime/serve/http/reply.ts';
import type { ServedAgent } from '../../runtime/serve/runs/served-names.ts';
import type { Service } from '../../runtime/serve/serve.ts';
import type { ServiceParts } from '../../runtime/serve/service-parts.ts';
import { partsOf } from '../../runtime/serve/service-parts.ts';
import { CARD_PATH } from '../wire.ts';
import { cardOf } from './agent-card.ts';
import { cardReply } from './card-reply.ts';
import { ContextIds } from './context-ids.ts';
import { endWith } from './end-with.ts';
import { loadServer } from './load-server.ts';
import { protocolError } from './protocol-error.ts';
import { protocolHandler } from './protocol-handler.ts';
import { answerRest } from './rest-call.ts';
import type { RestRoute } from './rest-route.ts';
import { restRouteOf } from './rest-route.ts';
import { answerRpc } from './rpc-call.ts';
import { TaskHandler } from './task-handler.ts';

/** Options of {@link serveA2a}. */
export interface ServeA2aOptions {
  /** The address of the service for clients, such as `https://agents.example.com/api`. Default: the one that a card is asked for at. */
  readonly url?: string | undefined;
  /** The agent whose card is at the root, `/.well-known/agent-card.json`. Default: the only one. */
  readonly main?: string | undefined;
  /** True if the status of a working task says what its agent does, tools among it. Default false: that is nobody's business. */
  readonly activity?: boolean | undefined;
  /** Completes a card: skills, provider, security schemes, a signature. Called each time that one is given. */
  readonly card?: ((card: AgentCard, agent: string) => AgentCard | Promise<AgentCard>) | undefined;
}

const checkServeA2a = optionsCheck<ServeA2aOptions>(
  { code: 'input.invalid', owner: 'agents over A2A', verb: 'serve' },
  () => ({
    url: optional(
      fulfilling(
        (given) => typeof given === 'string' && /^https?:\/\//.test(given) && URL.canParse(given),
        'not an address: write one that begins with http:// or https://',
      ),
    ),
    main: optional(aText(1)),
    activity: optional(aBoolean()),
    card: optional(aFunction()),
  }),
);

/**
 * Serves the agents of a service over A2A 1.0, by JSON-RPC and HTTP+JSON: each at `/a2a/NAME`, with its card below that at
 * `.well-known/agent-card.json`. All other addresses are the service's own, whose `auth`, tenants and limits hold for both.
 *
 * A task is a run: it outlives the process with the service's store, its context is a thread, and a request to a person is a task that wants
 * input, which the next message of its client answers. Cards are given to everybody, as they say how to call. Needs the package `@a2a-js/sdk`.
 *
 * @example
 * const service = serve(engine, { agents: { clerk }, store, auth });
 * const { fetch } = serveA2a(service, { url: 'https://agents.example.com' }); // for Node's http and Express: listener
 * export default { fetch };
 *
 * @throws {TroupeError} `input.invalid` for what is no service, or options that do not fit; `agent.unknown` for a `main` that is not served.
 */
export const serveA2a = (
  service: Service,
  options: ServeA2aOptions = {},
): Pick<Service, 'fetch' | 'listener'> => {
  checkServeA2a(options);
  const parts = partsOf(Object(service));
  if (parts === undefined)
    throw new TroupeError(
      'input.invalid',
      `Cannot serve agents over A2A as that is no service: write serveA2a(serve(engine, { agents })), found ${foundText(service)}`,
    );
  if (options.main !== undefined) parts.serving.names.called(options.main);
  const server = new A2aServer(parts, options);
  const fetch = async (request: Request): Promise<Response> =>
    (await server.answer(request)) ?? service.fetch(request);
  return { fetch, listener: nodeListener(fetch) };
};

/** An address of A2A: a card, or an agent by JSON-RPC or, with a route, by HTTP+JSON. */
interface Place {
  /** Undefined for the main one. */
  readonly agent?: ServedAgent | undefined;
  readonly isCard: boolean;
  readonly route?: RestRoute | undefined;
}

class A2aServer {
  readonly #parts: ServiceParts;
  readonly #options: ServeA2aOptions;
  readonly #contexts: ContextIds;

  constructor(parts: ServiceParts, options: ServeA2aOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#contexts = new ContextIds(parts.serving.store);
  }

  /** Undefined for an address that is not of A2A. */
  async answer(request: Request): Promise<Response | undefined> {
    const { pathname } = new URL(request.url);
    const place = this.#placeIn(pathname);
    if (place === undefined) return undefined;
    return this.#parts.answer(request, async () => {
      const agent = place.agent ?? this.#main();
      const wanted = place.route?.methods ?? [place.isCard ? 'GET' : 'POST'];
      if (!wanted.includes(request.method))
        return errorReply(refusal(405, `this address takes ${wanted.join(' or ')} only`), {
          allow: wanted.join(', '),
        });
      if (!place.isCard) return this.#call(request, agent, place.route);
      const { types } = await loadServer();
      return cardReply(request, toJson(types.AgentCard.toJSON(await this.#card(request, agent))));
    });
  }

  #placeIn(pathname: string): Place | undefined {
    const { basePath, names } = this.#parts.serving;
    // What is found by the host alone is at its root, wherever the rest is.
    if (pathname === `/${CARD_PATH}` || pathname === `${basePath}/${CARD_PATH}`) return { isCard: true };
    const rest = pathname.startsWith(`${basePath}/a2a/`)
      ? pathname.slice(`${basePath}/a2a/`.length)
      : undefined;
    const [, name, more = ''] = /^([\w-]{1,100})(\/.*)?$/.exec(rest ?? '') ?? [];
    if (name === undefined) return undefined;
    const agent = names.all.find((each) => each.name === name);
    if (agent === undefined) return undefined;
    if (more === `/${CARD_PATH}`) return { agent, isCard: true };
    if (more === '' || more === '/') return { agent, isCard: false };
    const route = restRouteOf(more);
    return route === undefined ? undefined : { agent, isCard: false, route };
  }

  /** The agent whose card is at the root. */
  #main(): ServedAgent {
    const { main } = this.#options;
    const { names } = this.#parts.serving;
    const [only, ...others] = names.all;
    if (main !== undefined) return names.called(main);
    if (only !== undefined && others.length === 0) return only;
    throw refusal(404, 'no agent of this server is the main one: ask for a card below /a2a/');
  }

  #card(request: Request, agent: ServedAgent): Promise<AgentCard> | AgentCard {
    const { serving, hasAuth } = this.#parts;
    const { url = `${new URL(request.url).origin}${serving.basePath}`, card } = this.#options;
    const made = cardOf(agent, { url: `${url.replace(/\/$/, '')}/a2a/${agent.name}`, hasAuth });
    return card === undefined ? made : card(made, agent.name);
  }

  async #call(request: Request, agent: ServedAgent, route: RestRoute | undefined): Promise<Response> {
    const { serving, onProblem } = this.#parts;
    const caller = await this.#parts.callerOf(request);
    const loaded = await loadServer();
    const toError = (thrown: unknown): Error => {
      if (!(thrown instanceof loaded.errors.A2AError) && isServerFailure(thrown)) onProblem(thrown);
      return protocolError(thrown, loaded);
    };
    const card = await this.#card(request, agent);
    const ending = endWith([request.signal, serving.runs.drained]);
    const tasks = new TaskHandler({
      agent,
      caller,
      loaded,
      serving,
      inputModes: [...card.defaultInputModes, ...card.skills.flatMap(({ inputModes }) => inputModes)],
      contexts: this.#contexts,
      showsActivity: this.#options.activity === true,
      signal: ending.signal,
    });
    const operations = protocolHandler({ tasks, card, loaded, toError });
    const call = { request, caller, serving, loaded, card, operations, ending, toError };
    return route === undefined ? answerRpc(call) : answerRest(call, route);
  }
}
