import { TroupeError } from '../../../contracts/errors/error.ts';

/** The idempotency key of a request. @throws {TroupeError} `input.invalid` */
export const keyOf = ({ headers }: Request): string | undefined => {
  const key = headers.get('idempotency-key');
  if (key === null) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new TroupeError(
    'input.invalid',
    'Cannot read the idempotency key as it is not 1 to 255 printable characters of ASCII',
  );
};
