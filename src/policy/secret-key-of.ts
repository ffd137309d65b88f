import { SecretKey } from '../contracts/secrets/secret-key.ts';
import type { Secrets } from '../contracts/secrets/redactor.ts';

/** A key, or the current key followed by earlier ones. */
type Given = string | readonly string[] | undefined;

/** The given key, or that in the variable `TROUPE_SECRET_KEY`. @throws {TroupeError} `secret.invalid` */
export const secretKeyOf = (given?: Given): SecretKey | undefined => {
  const found = given ?? globalThis.process?.env['TROUPE_SECRET_KEY'];
  return found === undefined || found === '' ? undefined : new SecretKey(found);
};

/** The secrets given with a run, including its keys. */
export const givenSecrets = ({
  secrets,
  secretKey,
}: {
  readonly secrets?: Secrets | undefined;
  readonly secretKey?: Given;
}): Secrets | undefined => {
  if (secretKey === undefined) return secrets;
  const keys = [secretKey]
    .flat()
    .map((key, index) => [`secretKey${index === 0 ? '' : ` ${index + 1}`}`, key]);
  return { ...Object.fromEntries(keys), ...secrets };
};
