import type { AuthProvider, OAuthClientProvider } from '@modelcontextprotocol/client';
import { TroupeError } from '../../contracts/errors/error.ts';

/**
 * A function that returns a bearer token, called before each request, and with `refused` once more for a request that was refused; or an
 * OAuth client as the package `@modelcontextprotocol/client` has them.
 */
export type ServerAuth = ((refused: boolean) => string | Promise<string>) | OAuthClientProvider;

/** Registers secrets of the run. */
interface Secrets {
  hide(secret: string, name: string): void;
}

/** Provides a transport with tokens, each of which is a secret of the run. */
export const authProvider = (
  auth: ServerAuth,
  server: string,
  secrets: Secrets,
): AuthProvider | OAuthClientProvider => {
  if (typeof auth !== 'function') return hideTokens(auth, server, secrets);
  let isRefused = false;
  return {
    async token() {
      const token: unknown = await auth(isRefused);
      isRefused = false;
      if (typeof token !== 'string' || token === '')
        throw new TroupeError(
          'mcp.auth',
          `Cannot connect to the MCP server '${server}' as its \`auth\` gave no token`,
        );
      secrets.hide(token, `${server}.token`);
      return token;
    },
    onUnauthorized() {
      isRefused = true;
      return Promise.resolve();
    },
  };
};

/** Times that work is repeated: a server may move to another authorization server between two requests. */
const MAX_REPEATS = 2;

/**
 * Repeats work that was refused for want of authorization, if an OAuth client has another token by then: its
 * `redirectToAuthorization` has led a person through the flow to its end.
 */
export const withAuthorization = async <Result>(
  auth: ServerAuth | undefined,
  isRefusal: (thrown: unknown) => boolean,
  work: () => Promise<Result>,
): Promise<Result> => {
  if (auth === undefined || typeof auth === 'function') return work();
  let before = await accessToken(auth);
  for (let repeats = 0; ; repeats += 1)
    try {
      return await work();
    } catch (thrown) {
      const now = isRefusal(thrown) ? await accessToken(auth) : undefined;
      if (now === undefined || now === before || repeats === MAX_REPEATS) throw thrown;
      before = now;
    }
};

const accessToken = async (client: OAuthClientProvider): Promise<string | undefined> =>
  (await client.tokens())?.access_token;

/** The same client, whose tokens become secrets when they are read. */
const hideTokens = (client: OAuthClientProvider, server: string, secrets: Secrets): OAuthClientProvider =>
  new Proxy(client, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'tokens') {
        const tokens: OAuthClientProvider['tokens'] = async (context) => {
          const found = await target.tokens(context);
          for (const token of [found?.access_token, found?.refresh_token])
            if (token !== undefined) secrets.hide(token, `${server}.token`);
          return found;
        };
        return tokens;
      }
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
