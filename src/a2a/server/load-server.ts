import type * as Sdk from '@a2a-js/sdk';
import type * as Errors from '@a2a-js/sdk/errors';
import type * as Server from '@a2a-js/sdk/server';
import { loadPackage, rethrow } from '../../contracts/errors/load-package.ts';

/** The pieces of the package that a server uses. */
export interface ServerPackage
  extends
    Pick<typeof Sdk, 'AgentCard'>,
    Pick<typeof Server, 'JsonRpcTransportHandler' | 'ServerCallContext' | 'validateVersion'> {
  readonly errors: typeof Errors;
}

/** Loads the package. @throws {TroupeError} `tool.package-missing` */
export const loadServer = async (): Promise<ServerPackage> => {
  const load = () =>
    Promise.all([
      import('@a2a-js/sdk').catch(rethrow),
      import('@a2a-js/sdk/server').catch(rethrow),
      import('@a2a-js/sdk/errors').catch(rethrow),
    ]);
  const [{ AgentCard }, server, errors] = await loadPackage('@a2a-js/sdk', load, 'tool.package-missing');
  const { JsonRpcTransportHandler, ServerCallContext, validateVersion } = server;
  return { AgentCard, JsonRpcTransportHandler, ServerCallContext, validateVersion, errors };
};
