import type * as Sdk from '@a2a-js/sdk';
import type * as Errors from '@a2a-js/sdk/errors';
import type * as Server from '@a2a-js/sdk/server';
import { loadPackage, rethrow } from '../../contracts/errors/load-package.ts';

/** The pieces of the package that a server uses. */
export interface ServerPackage extends Pick<
  typeof Server,
  'JsonRpcTransportHandler' | 'ServerCallContext' | 'validateVersion'
> {
  /** The types of the protocol, each with what reads and writes it. */
  readonly types: typeof Sdk;
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
  const [types, server, errors] = await loadPackage('@a2a-js/sdk', load, 'tool.package-missing');
  const { JsonRpcTransportHandler, ServerCallContext, validateVersion } = server;
  return { types, JsonRpcTransportHandler, ServerCallContext, validateVersion, errors };
};
