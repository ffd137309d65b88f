import type { AuthProvider } from '@modelcontextprotocol/client';
import { TroupeError } from '../../contracts/errors/error.ts';

/** Returns a bearer token; called before each request, and with `refused` once more for a request that was refused. */
export type ServerAuth = (refused: boolean) => string | Promise<string>;

/** Provides a transport with tokens, each of which is a secret of the run. */
export const authProvider = (
  auth: ServerAuth,
  server: string,
  secrets: { hide(secret: string, name: string): void },
): AuthProvider => {
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
