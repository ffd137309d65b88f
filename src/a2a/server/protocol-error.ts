import { isTroupeError } from '../../contracts/errors/error.ts';
import { isServerFailure } from '../../runtime/serve/http/reply.ts';
import type { ServerPackage } from './load-server.ts';

/** An error of ours as one of the protocol; of a failure of the server's own clients receive no word. */
export const protocolError = (thrown: unknown, { errors }: ServerPackage): Error => {
  if (thrown instanceof errors.A2AError) return thrown;
  if (!isTroupeError(thrown) || isServerFailure(thrown))
    return new errors.A2AError('Cannot answer the request as the server failed');
  const { code, message, status } = thrown;
  switch (code) {
    case 'server.refused':
      return status === 415
        ? new errors.ContentTypeNotSupportedError(message)
        : new errors.RequestMalformedError({ message, cause: thrown });
    case 'journal.unknown':
      return new errors.TaskNotFoundError(message);
    case 'run.ended':
    case 'engine.invalid':
      return new errors.UnsupportedOperationError(message);
    case 'content.refused':
      return new errors.ContentTypeNotSupportedError(message);
    default:
      return message.startsWith('Cannot') && FAULTS_OF_CLIENTS.test(code)
        ? new errors.RequestMalformedError(message)
        : new errors.A2AError(message);
  }
};

const FAULTS_OF_CLIENTS = /^(?:input|content|message|request|thread|task)\.|^run\.duplicate$/;
