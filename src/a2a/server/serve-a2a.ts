import type { AgentCard } from '@a2a-js/sdk';
import { isJsonObject } from '../../base/json/json.ts';
import { aBoolean, aFunction, aText, fulfilling, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import { callerKeyOf } from '../../runtime/serve/http/callers.ts';
import { isServerFailure, errorReply, jsonReply } from '../../runtime/serve/http/reply.ts';
import { readJson } from '../../runtime/serve/http/read-json.ts';
import { refusal } from '../../runtime/serve/http/refusal.ts';
import type { ServedAgent } from '../../runtime/serve/runs/served-names.ts';
import type { Caller } from '../../runtime/serve/serve-options.ts';
import { nodeListener } from '../../runtime/serve/http/node-listener.ts';
import type { Service } from '../../runtime/serve/serve.ts';
import type { ServiceParts } from '../../runtime/serve/service-parts.ts';
import { partsOf } from '../../runtime/serve/service-parts.ts';
import { BINDING, CARD_PATH, VERSION_HEADER } from '../wire.ts';
import { cardOf } from './agent-card.ts';
import { ContextIds } from './context-ids.ts';
import { endWith } from './end-with.ts';
import type { ServerPackage } from './load-server.ts';
import { loadServer } from './load-server.ts';
import type { RpcResponse } from './rpc-reply.ts';
import { protocolError, rpcReply, rpcStream, rpcTexts } from './rpc-reply.ts';
import { protocolHandler } from './protocol-handler.ts';
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
 * Serves the agents of a service over A2A 1.0, by JSON-RPC over HTTP: each at `/a2a/NAME`, with its card below that at
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
      const wanted = place.isCard ? 'GET' : 'POST';
      if (request.method !== wanted)
        return errorReply(refusal(405, `this address takes ${wanted} only`), { allow: wanted });
      if (place.isCard) {
        const { AgentCard: codec } = await loadServer();
        return jsonReply(codec.toJSON(await this.#card(request, agent)));
      }
      return this.#call(request, agent, await this.#parts.callerOf(request));
    });
  }

  #placeIn(pathname: string): { readonly agent?: ServedAgent; readonly isCard: boolean } | undefined {
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
    return more === '' || more === '/' ? { agent, isCard: false } : undefined;
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

  async #call(request: Request, agent: ServedAgent, caller: Caller): Promise<Response> {
    const { serving, onProblem } = this.#parts;
    const { bodyBytes, bodyMs } = serving.limits;
    const body = await readJson(request, { bodyBytes, bodyMs, clock: serving.clock });
    const loaded = await loadServer();
    const id =
      isJsonObject(body) && (typeof body['id'] === 'string' || typeof body['id'] === 'number')
        ? body['id']
        : null;
    const toError = (thrown: unknown): Error => {
      if (!(thrown instanceof loaded.errors.A2AError) && isServerFailure(thrown)) onProblem(thrown);
      return protocolError(thrown, loaded);
    };
    const failed = (thrown: unknown): RpcResponse => ({
      jsonrpc: '2.0',
      id,
      error: loaded.JsonRpcTransportHandler.mapToJSONRPCError(toError(thrown)),
    });
    const ending = endWith([request.signal, serving.runs.drained]);
    const card = await this.#card(request, agent);
    const tasks = new TaskHandler({
      agent,
      caller,
      loaded,
      serving,
      contexts: this.#contexts,
      showsActivity: this.#options.activity === true,
      signal: ending.signal,
    });
    try {
      const requestedVersion = request.headers.get(VERSION_HEADER) ?? undefined;
      const context = new loaded.ServerCallContext(
        requestedVersion === undefined ? {} : { requestedVersion },
      );
      loaded.validateVersion(context.requestedVersion, card, BINDING);
      this.#assertTenant(body, caller, loaded);
      if (!isJsonObject(body))
        throw new loaded.errors.RequestMalformedError('Cannot read the body as it is not an object');
      const response = await new loaded.JsonRpcTransportHandler(
        protocolHandler({ tasks, card, loaded, toError }),
      ).handle({ ...body }, context);
      if (!(Symbol.asyncIterator in response)) {
        ending.release();
        return rpcReply(response);
      }
      const first = await response.next();
      if (first.done === true) throw new Error('a stream without a first event');
      const texts = rpcTexts(first.value, response, { onError: failed, release: ending.abort });
      return rpcStream(
        serving.streams.open(callerKeyOf(caller), texts, () => ''),
        serving.clock,
      );
    } catch (thrown) {
      ending.release();
      return rpcReply(failed(thrown));
    }
  }

  /** The tenant follows from who calls, never from what a client says. */
  #assertTenant(body: unknown, { tenant }: Caller, { errors }: ServerPackage): void {
    const { params } = Object(body) as { readonly params?: unknown };
    const { tenant: given } = Object(params) as { readonly tenant?: unknown };
    if (given === undefined || given === '' || given === tenant) return;
    throw new errors.RequestMalformedError('Cannot answer for that tenant as the caller is not of it');
  }
}
