import { ClientCredentialsProvider, CrossAppAccessProvider } from '@modelcontextprotocol/client';
import type { OAuthClientProvider, StoredOAuthTokens } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { agent } from '../../../src/index.ts';
import { mcpServer } from '../../../src/mcp/index.ts';
import type { McpServerOptions } from '../../../src/mcp/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { served, withEcho } from './servers.ts';

const ISSUER = 'https://login.test';

/** Documents by which a client finds where it is authorized. */
const documents: Readonly<Record<string, unknown>> = {
  'https://mcp.test/.well-known/oauth-protected-resource/mcp': {
    resource: 'https://mcp.test/mcp',
    authorization_servers: [ISSUER],
  },
  [`${ISSUER}/.well-known/oauth-authorization-server`]: {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    token_endpoint: `${ISSUER}/token`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  },
  [`${ISSUER}/token`]: { access_token: 'token-of-new-99', token_type: 'Bearer' },
};

/** A server that wants a token of those who come. */
const guarded = (isValid: (token: string | null) => boolean, auth: OAuthClientProvider): McpServerOptions => {
  const options = served(withEcho);
  return {
    ...options,
    auth,
    fetch: (input, init) => {
      const request = new Request(input, init);
      const document = documents[request.url];
      if (document !== undefined) return Promise.resolve(Response.json(document));
      if (isValid(request.headers.get('authorization')))
        return options.fetch?.(request) ?? Promise.reject(new Error('no fetch'));
      return Promise.resolve(new Response('who is it?', { status: 401 }));
    },
  };
};

/** An OAuth client whose flow gives it the tokens that are left, one after the other; its state is private to it. */
class Visitor implements OAuthClientProvider {
  readonly redirectUrl = 'https://app.test/callback';
  readonly clientMetadata = { redirect_uris: [this.redirectUrl] };
  readonly led: string[] = [];
  readonly #left: string[];
  #tokens: StoredOAuthTokens | undefined;

  constructor(...tokens: readonly string[]) {
    this.#left = [...tokens];
  }

  clientInformation() {
    return { client_id: 'visitor' };
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  saveCodeVerifier(): void {}

  codeVerifier(): string {
    return '';
  }

  redirectToAuthorization({ origin, pathname }: URL): void {
    this.led.push(`${origin}${pathname}`);
    const next = this.#left.shift();
    if (next !== undefined) this.#tokens = { access_token: next, token_type: 'Bearer', issuer: ISSUER };
  }
}

const guest = (server: McpServerOptions) =>
  agent({
    name: 'guest',
    tools: [mcpServer(server)],
    model: scriptedModel([calls({ name: 'srv.echo', input: { text: 'token-of-new-99' } }), 'Done.']),
  });

test('an OAuth client leads a person through its flow, and what was refused is repeated with its token', async () => {
  const visitor = new Visitor('token-of-new-99');
  const isValid = (token: string | null) => token === 'Bearer token-of-new-99';
  const { events } = await guest(guarded(isValid, visitor)).run('go');
  expect(events.find((event) => event.type === 'tool.finished')?.ok).toBe(true);
  expect(visitor.led).toEqual([`${ISSUER}/authorize`]);
  expect(JSON.stringify(events)).not.toContain('token-of-new-99');
});

test.each([
  { what: 'gives no token', tokens: [], led: 1 },
  { what: 'gives tokens that are refused', tokens: ['token-a', 'token-b', 'token-c', 'token-d'], led: 3 },
])(
  'an OAuth client that $what is not led in circles, and the run fails by mcp.auth',
  async ({ tokens, led }) => {
    const visitor = new Visitor(...tokens);
    await expect(guest(guarded(() => false, visitor)).run('go')).rejects.toMatchObject({
      code: 'tool.setup',
      data: { details: { code: 'mcp.auth' } },
    });
    expect(visitor.led).toHaveLength(led);
  },
);

const credentials = { clientId: 'app', clientSecret: 'of the app', expectedIssuer: ISSUER };

test.each([
  { what: 'client credentials', client: new ClientCredentialsProvider(credentials) },
  {
    what: 'enterprise-managed authorization',
    client: new CrossAppAccessProvider({ ...credentials, assertion: () => Promise.resolve('a grant') }),
  },
])('an OAuth client of $what needs no person, and its token is a secret of the run', async ({ client }) => {
  const isValid = (token: string | null) => token === 'Bearer token-of-new-99';
  const { events } = await guest(guarded(isValid, client)).run('go');
  expect(events.find((event) => event.type === 'tool.finished')?.ok).toBe(true);
  expect(JSON.stringify(events)).not.toContain('token-of-new-99');
});
