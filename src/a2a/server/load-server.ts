import { loadPackage, rethrow } from '../../contracts/errors/load-package.ts';

type Server = typeof import('@a2a-js/sdk/server');

/** The pieces of the package that a server uses. */
export interface ServerPackage
  extends
    Pick<typeof import('@a2a-js/sdk'), 'AgentCard'>,
    Pick<Server, 'JsonRpcTransportHandler' | 'ServerCallContext' | 'validateVersion'> {
  readonly errors: typeof import('@a2a-js/sdk/errors');
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
