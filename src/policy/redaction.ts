import type { Secrets } from '../contracts/secrets/redactor.ts';
import { Redactor } from '../contracts/secrets/redactor.ts';
import { findPublic } from '../contracts/secrets/find-public.ts';

export type { Secrets } from '../contracts/secrets/redactor.ts';

/** Shorter values are found everywhere by chance. */
const SHORTEST = 8;

/** How the names of variables end that hold secrets. */
const NAMES =
  /(?:^|_|PG|API|ACCESS|AUTH|SECRET|PRIVATE|DB|DATABASE)(?:KEYS?|TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|PASS|PWD|PW|PATS?|DSN|CREDENTIALS?|CREDS|AUTH|COOKIES?|JWT|SALT|WEBHOOK(?:_URL)?|CONN(?:ECTION)?_?STR(?:ING)?|SAS|BEARER)$/i;

/** `postgres://user:password@host`. */
const ADDRESS = /^[a-z][\w+.-]{1,30}:\/\/[^\s/@:]*:(?<password>[^\s@]+)@/i;

const PATH = /^(?:\.{0,2}\/[\w.@ -]+(?:\/|$)|~\/|[A-Za-z]:\\)/;

const PLAIN = /^(?:true|false|none|null|undefined|disabled|enabled|required|optional)$/i;

/**
 * The secrets of an environment: the values, of 8 characters or more, of variables that are named like one (`OPENAI_API_KEY`,
 * `PGPASSWORD`, `GITHUB_PAT`, `SENTRY_DSN` …) or look like one (a key of known shape, an address with a password in it).
 *
 * Paths and words such as `true` are none.
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
    // Drivers tell the password without its address.
    if (password !== undefined && password.length >= SHORTEST) found[`${name} password`] = password;
  }
  return found;
};

/** Checks whether all of a value is a key of known shape. */
const isKey = (value: string): boolean =>
  findPublic(value).some(({ start, end }) => start === 0 && end === value.length);

/** The variables of the process; none where there is no process (a browser). */
const processEnvironment = (): Readonly<Record<string, string | undefined>> => globalThis.process?.env ?? {};

/** Made once for the same secrets: most processes have one set of them. */
let made: { readonly of: string; readonly redactor: Redactor } | undefined;

/**
 * Finds the secrets that are given, by default those of the process's environment, and all that are known by their looks; `more` are
 * found, too.
 */
export const redactorOf = (given?: Secrets, more?: Secrets): Redactor => {
  const secrets = { ...(given ?? secretsIn(processEnvironment())), ...more };
  const of = JSON.stringify(secrets);
  if (made?.of !== of) made = { of, redactor: new Redactor(secrets) };
  return made.redactor;
};

/**
 * Takes secrets out of a text: each becomes `[redacted NAME]`. The values given are found as they are, as JSON has them (twice over,
 * too), in addresses, in hexadecimal digits, in base64 and in other case; keys of known shape, private keys, passwords in addresses
 * and what is assigned to a name such as `password` are found without being given. Takes time in proportion to the text.
 *
 * @example
 * redactor({ API_KEY: 'sk-123456789' })('key=sk-123456789') // => 'key=[redacted API_KEY]'
 */
export const redactor = (secrets: Secrets): ((text: string) => string) => {
  const found = new Redactor(secrets);
  return (text) => found.text(text);
};
