import type { AgentCard } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import * as z from 'zod/mini';
import { onDemand } from '../../base/on-demand.ts';
import { loadPackage, rethrow } from '../../contracts/errors/load-package.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { printable } from '../../base/text/printable.ts';
import { CARD_PATH } from '../wire.ts';
import { remoteError } from './a2a-errors.ts';
import type { GuardOptions } from './guarded-fetch.ts';
import { guardedFetch, isAllowed } from './guarded-fetch.ts';

/** Interfaces of a card that are looked at. */
const MOST_INTERFACES = 50;

/** The fields of a card that a call depends on; all else of it is never used. */
const cardSchema = onDemand(() =>
  z.object({
    supportedInterfaces: z.array(
      z.object({
        url: z.string(),
        protocolBinding: z.string(),
        protocolVersion: z.string(),
        tenant: z.optional(z.string()),
      }),
    ),
    capabilities: z.optional(z.object({ streaming: z.optional(z.boolean()) })),
  }),
);

/** Connects to another agent by its card, of which only the places that are allowed are used. @throws {TroupeError} `message.undelivered`, `server.refused`, `tool.denied`, `message.invalid`, `tool.package-missing` */
export const connectTo = async (guard: GuardOptions): Promise<Client> => {
  const { name, url } = guard;
  const doing = `read the card of '${name}'`;
  const { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } =
    await loadPackage(
      '@a2a-js/sdk',
      () => import('@a2a-js/sdk/client').catch(rethrow),
      'tool.package-missing',
    );
  const options = { fetchImpl: guardedFetch(guard), legacyCompat: { enabled: true } };
  const cardResolver = new DefaultAgentCardResolver(options);
  const address = cardAddress(url);
  try {
    const given: unknown = await cardResolver.resolve(address, address);
    const factory = new ClientFactory({
      cardResolver,
      transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
    });
    return await factory.createFromAgentCard(usableCard(given, guard));
  } catch (thrown) {
    throw remoteError(thrown, doing);
  }
};

/** The card is below the address of its agent, whether that ends in a slash or not. */
const cardAddress = (url: URL): string => {
  if (url.pathname.endsWith('.json')) return url.href;
  const below = new URL(url.href);
  below.pathname = `${below.pathname.replace(/\/$/, '')}/${CARD_PATH}`;
  return below.href;
};

const usableCard = (given: unknown, guard: GuardOptions): AgentCard => {
  const { name } = guard;
  const read = cardSchema().safeParse(given);
  if (!read.success)
    throw new TroupeError(
      'message.invalid',
      `Cannot read the card of '${name}' as it does not fit the protocol: '${read.error.issues[0]?.path.join('.') ?? ''}'`,
    );
  const { supportedInterfaces, capabilities } = read.data;
  const usable = supportedInterfaces.slice(0, MOST_INTERFACES).filter((each) => isAllowed(each.url, guard));
  if (usable.length === 0)
    throw new TroupeError(
      'tool.denied',
      `Cannot call '${name}' as its card leads to no place that is allowed: write \`hosts\` for one of ${placesIn(supportedInterfaces)}`,
      { retryable: 'no' },
    );
  return {
    name,
    description: '',
    version: '',
    provider: undefined,
    supportedInterfaces: usable.map((each) => ({ ...each, tenant: each.tenant ?? '' })),
    capabilities: { streaming: capabilities?.streaming === true, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    signatures: [],
  };
};

const placesIn = (interfaces: readonly { readonly url: string }[]): string =>
  printable(
    interfaces
      .slice(0, 5)
      .map(({ url }) => (URL.canParse(url) ? new URL(url).host : url))
      .join(', '),
  ).slice(0, 200);
