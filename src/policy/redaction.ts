import type { Secrets } from '../contracts/secrets/redactor.ts';
import { Redactor } from '../contracts/secrets/redactor.ts';
import { findPublic } from '../contracts/secrets/find-public.ts';

export type { Secrets } from '../contracts/secrets/redactor.ts';

/** Shorter values occur anywhere by chance. */
const SHORTEST = 8;

/** Endings of variable names that hold secrets. */
const NAMES =
  /(?:^|_|PG|API|ACCESS|AUTH|SECRET|PRIVATE|DB|DATABASE)(?:KEYS?|TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|PASS|PWD|PW|PATS?|DSN|CREDENTIALS?|CREDS|AUTH|COOKIES?|JWT|SALT|WEBHOOK(?:_URL)?|CONN(?:ECTION)?_?STR(?:ING)?|SAS|BEARER)$/i;

/** `postgres://user:password@host`. */
const ADDRESS = /^[a-z][\w+.-]{1,30}:\/\/[^\s/@:]*:(?<password>[^\s@]+)@/i;

const PATH = /^(?:\.{0,2}\/[\w.@ -]+(?:\/|$)|~\/|[A-Za-z]:\\)/;

const PLAIN = /^(?:undefined|disabled|required|optional)$/i;

/**
 * The secrets of an environment: values of at least 8 characters whose variables have the name (`OPENAI_API_KEY`, `PGPASSWORD`,
 * `GITHUB_PAT`, `SENTRY_DSN` …) or the form of a secret (a key of known shape, an address with a password).
 *
 * Paths and words such as `true` are excluded.
 *
 * @example
 * secretsIn({ OPENAI_API_KEY: 'sk-123456789', HOME: '/home/ada' }) // => { OPENAI_API_KEY: 'sk-123456789' }
 */
export const secretsIn = (environment: Readonly<Record<string, string | undefined>>): Secrets => {
  const found: Record<string, string> = {};
  for (const [name, given] of Object.entries(environment)) {
    const value = given?.trim() ?? '';
    if (value.length < SHORTEST || PATH.test(value) || PLAIN.test(value)) continue;
    const password = ADDRESS.exec(value)?.groups?.['password'];
    if (password === undefined && !NAMES.test(name) && !isKey(value)) continue;
    found[name] = value;
    // Drivers print the password without its address.
    if (password !== undefined && password.length >= SHORTEST) found[`${name} password`] = password;
  }
  return found;
};

/** Checks whether a whole value is a key of known shape. */
const isKey = (value: string): boolean =>
  findPublic(value).some(({ start, end }) => start === 0 && end === value.length);

type Environment = Readonly<Record<string, string | undefined>>;

/** The secrets of the process that were found last, and the variables in which they were found. */
let searched: { readonly environment: Environment; readonly secrets: Secrets } | undefined;

/**
 * The secrets of the process; none without a process (a browser). Only variables that have changed are a reason to search them again;
 * each is read, as nothing says when one changes.
 */
const processSecrets = (): Secrets => {
  const environment: Environment = { ...globalThis.process?.env };
  const names = Object.keys(environment);
  const before = searched?.environment ?? {};
  const isSame =
    names.length === Object.keys(before).length && names.every((name) => environment[name] === before[name]);
  if (searched === undefined || !isSame) searched = { environment, secrets: secretsIn(environment) };
  return searched.secrets;
};

/** Cached, as most processes have one set of secrets. */
let made: { readonly of: string; readonly redactor: Redactor } | undefined;

/** A redactor for the given secrets, by default those of the process's environment, for secrets of known shape, and for `more`. */
export const redactorOf = (given?: Secrets, more?: Secrets): Redactor => {
  const secrets = { ...(given ?? processSecrets()), ...more };
  const of = JSON.stringify(secrets);
  if (made?.of !== of) made = { of, redactor: new Redactor(secrets) };
  return made.redactor;
};

/**
 * Redacts secrets in a text: each becomes `[redacted NAME]`. Given values are found verbatim, escaped as in JSON, URLs and HTML (twice, too),
 * in hexadecimal, as lists of bytes, in base64 (of UTF-16 and of base64, too), in other case, and broken over lines; keys of known shape, private keys, passwords in addresses and values assigned to names such as
 * `password` are found without being given. Linear in the length of the text.
 *
 * @example
 * redactor({ API_KEY: 'sk-123456789' })('key=sk-123456789') // => 'key=[redacted API_KEY]'
 */
export const redactor = (secrets: Secrets): ((text: string) => string) => {
  const found = new Redactor(secrets);
  return (text) => found.text(text);
};
