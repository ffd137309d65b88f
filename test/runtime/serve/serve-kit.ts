import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { LiveEvent } from '../../../src/contracts/events/event.ts';
import type { Model } from '../../../src/contracts/models/model.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { createGlobalEngine } from '../../../src/runtime/engines/global-engine.ts';
import { nodeListener } from '../../../src/runtime/serve/http/node-listener.ts';
import type { ServedAgents, ServeOptions } from '../../../src/runtime/serve/serve-options.ts';
import type { Service } from '../../../src/runtime/serve/serve.ts';
import { serve } from '../../../src/runtime/serve/serve.ts';
import type { ScriptedReply } from '../../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';

/** A handler on a free port of the loopback, by Node's own server. */
export const listen = async (
  handler: (request: Request) => Promise<Response>,
): Promise<AsyncDisposable & { readonly url: string; readonly port: number }> => {
  const server = createServer(nodeListener(handler));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
};

/** A tool that a person has to approve; what it was called with. */
export const refunds: { readonly order: number; readonly euros: number }[] = [];
export const refund = tool({
  name: 'refund',
  description: 'Pays money back.',
  safety: 'danger',
  input: z.object({ order: z.number(), euros: z.number().max(100) }),
  execute: (input) => {
    refunds.push(input);
    return `Paid back ${input.euros} euros.`;
  },
});

export const refunding: readonly ScriptedReply[] = [
  calls({ name: 'refund', input: { order: 17, euros: 39 } }),
  'Your money is on its way.',
];

/** A model that says the reply of that number to a conversation with as many answers: the same in each run, also after it is resumed. */
export const modelSaying = (replies: readonly ScriptedReply[]): Model => ({
  ...scriptedModel([]),
  answer: (request, call) => {
    const said = request.messages.toArray().filter(({ role }) => role === 'assistant').length;
    return scriptedModel(replies.slice(said, said + 1)).answer(request, call);
  },
});

/** A clerk who may pay money back. */
export const clerkSaying = (replies: readonly ScriptedReply[], name = 'clerk') =>
  agent({ name, tools: [refund], model: modelSaying(replies) });

/** Tokens of callers: `tenant:who`. */
export const auth = (request: Request) => {
  const [, tenant, who] = /^Bearer (\w+):(\w+)$/.exec(request.headers.get('authorization') ?? '') ?? [];
  return tenant === undefined || who === undefined ? undefined : { tenant, who };
};

export const as = (tenant: string, who = 'ada') => ({ authorization: `Bearer ${tenant}:${who}` });

export const tenantEngine = () =>
  createGlobalEngine({ by: (context) => (context as { readonly tenant?: string } | undefined)?.tenant });

/** A service on the loopback. */
export const served = async <Agents extends ServedAgents>(
  options: ServeOptions<Agents>,
  engine = createGlobalEngine(),
): Promise<
  AsyncDisposable & {
    readonly url: string;
    readonly port: number;
    readonly service: Service<Agents>;
    /** Number of requests so far. */
    readonly asked: () => number;
  }
> => {
  const service = serve(engine, options);
  let count = 0;
  const server = await listen((request) => {
    count += 1;
    return service.fetch(request);
  });
  return {
    url: server.url,
    port: server.port,
    service,
    asked: () => count,
    [Symbol.asyncDispose]: async () => {
      engine.abort();
      await service.drain({ withinMs: 1 });
      await server[Symbol.asyncDispose]();
    },
  };
};

/** A request with a body of JSON. */
export const post = (url: string, body: unknown = {}, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** Status and code of a refusal. */
export const refusalOf = async (response: Response): Promise<readonly [number, unknown]> => {
  const text = await response.text();
  const { error } = JSON.parse(text) as { readonly error?: { readonly code?: unknown } };
  return [response.status, error?.code];
};

/** The first open request of a run, as soon as there is one. */
export const firstRequest = async (run: {
  requests(): Promise<readonly { readonly id: string }[]>;
}): Promise<{ readonly id: string }> => {
  for (;;) {
    const [first] = await run.requests();
    if (first !== undefined) return first;
  }
};

/** The events that a server sends at an address, to the end of their stream. */
export const readEvents = async (url: string) => {
  const text = await (await fetch(url)).text();
  const events = Array.from(
    text.matchAll(/^data: (.*)$/gm),
    ([, data = '']) => JSON.parse(data) as LiveEvent,
  );
  return { events };
};
