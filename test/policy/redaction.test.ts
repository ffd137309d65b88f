import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactor, redactorOf, secretsIn } from '../../src/policy/redaction.ts';
import { processorTime } from '../support/processor-time.ts';

describe('the secrets of an environment', () => {
  test('are the long values of what is named a key, a token, a secret or a password', () => {
    const environment = {
      OPENAI_API_KEY: 'sk-12345',
      GITHUB_TOKEN: 'ghp_12345',
      app_secret: '12345678',
      DB_PASSWORD: 'correct horse',
      SHORT_KEY: '1234567',
      EMPTY_KEY: undefined,
      HOME: '/home/ada/long',
      KEY_OF_HOUSE: 'a long value',
    };
    expect(Object.keys(secretsIn(environment))).toEqual([
      'OPENAI_API_KEY',
      'GITHUB_TOKEN',
      'app_secret',
      'DB_PASSWORD',
    ]);
  });
});

describe('[FIND-52] the secrets of an environment by other names and by their looks', () => {
  const found = (environment: Record<string, string>) => Object.keys(secretsIn(environment));

  test('are those of databases, tokens for persons, addresses and keys of known shape', () => {
    expect(
      found({
        DATABASE_URL: 'postgres://app:hunter2hunter2@db/app',
        PGPASSWORD: 'correct horse',
        GITHUB_PAT: 'abcdefgh1234',
        SENTRY_DSN: 'https://abcdef0123456789@sentry.example/1',
        WHATEVER: 'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
        AZURE_STORAGE_CONNECTION_STRING: 'AccountName=a;AccountKey=abcdefg',
      }),
    ).toEqual([
      'DATABASE_URL',
      'DATABASE_URL password',
      'PGPASSWORD',
      'GITHUB_PAT',
      'SENTRY_DSN',
      'WHATEVER',
      'AZURE_STORAGE_CONNECTION_STRING',
    ]);
  });

  test('are no folders, no words and no plain addresses', () => {
    expect(
      found({
        PWD: '/home/ada/project',
        OLDPWD: '/home/ada/other',
        SSH_AUTH: '/run/user/1000/agent',
        GOOGLE_APPLICATION_CREDENTIALS: '/etc/google/key.json',
        USE_TOKEN: 'disabled',
        API_URL: 'https://api.example.com/v1',
        LESSKEYS: 'abcdefghij',
      }),
    ).toEqual([]);
  });
});

describe('a redactor', () => {
  test('[FIND-52] finds a value in addresses, in hexadecimal digits and in other case', () => {
    const value = 'Ke/y+va=lue 4217';
    const find = redactor({ SHOP_KEY: value });
    const hex = Buffer.from(value).toString('hex');
    for (const text of [
      encodeURIComponent(value),
      encodeURIComponent(value).replaceAll('%20', '+'),
      encodeURIComponent(value).toLowerCase(),
      hex,
      hex.toUpperCase(),
      value.toUpperCase(),
      value.toLowerCase(),
    ])
      expect(find(`<${text}>`)).toBe('<[redacted SHOP_KEY]>');
  });

  test('[FIND-52] takes a password that is a word for one only where it stands alone, as it is', () => {
    const find = redactor({ DB_PASSWORD: 'postgres' });
    expect(find('Postgres and postgresql are databases; postgres')).toBe(
      'Postgres and postgresql are databases; [redacted DB_PASSWORD]',
    );
  });

  const secret = 'p"ss\\wörd\n+1';
  const redact = redactor({ A_KEY: secret });
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  test('finds a secret as it is, in JSON, and in JSON within JSON', () => {
    for (const text of [
      secret,
      JSON.stringify({ secret }),
      JSON.stringify({ text: JSON.stringify([secret]) }),
    ])
      expect(redact(text)).not.toMatch(/w(ö|\\u00f6)rd/);
    expect(redact(`<${secret}>`)).toBe('<[redacted A_KEY]>');
    expect(JSON.parse(redact(JSON.stringify({ secret })))).toEqual({ secret: '[redacted A_KEY]' });
  });

  test('finds it within base64, wherever it stands, and leaves what is around it', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (before, after) => {
        for (const encoding of ['base64', 'base64url'] as const) {
          const found = redact(Buffer.from(before + secret + after).toString(encoding));
          expect(found).toContain('[redacted A_KEY]');
          const [head = '', tail = ''] = found.split('[redacted A_KEY]');
          expect(Buffer.from(`${before}`).toString('base64url')).toContain(
            head.replaceAll('+', '-').replaceAll('/', '_'),
          );
          expect(tail.length).toBeLessThanOrEqual(Math.ceil((Buffer.byteLength(after) * 4) / 3) + 2);
        }
      }),
    );
    expect(redact(`Basic ${base64(secret)};`)).toBe('Basic [redacted A_KEY];');
  });

  test('takes the longer of two secrets, and names each', () => {
    const both = redactor({ SHORT_KEY: '12345678', LONG_KEY: 'x12345678x', EMPTY_KEY: '' });
    expect(both('x12345678x 12345678')).toBe('[redacted LONG_KEY] [redacted SHORT_KEY]');
  });

  test('changes nothing where there is no secret', () => {
    fc.assert(fc.property(fc.string(), (text) => redactor({})(text) === text && redact(text) === text));
  });

  test('takes time in proportion to the text, even a hostile one', () => {
    const hostile = redactor({ A_KEY: `${'a'.repeat(30)}b`, B_KEY: `${'a'.repeat(20)}c` });
    const timed = (length: number) => {
      const text = 'a'.repeat(length);
      return processorTime(() => hostile(text));
    };
    timed(100_000);
    // A quadratic search would need minutes.
    expect(timed(1_000_000)).toBeLessThan(5_000);
  });
});

test('a secret of the process is redacted as soon as it is set, as it is now, and not once it is gone', () => {
  const name = 'TROUPE_TEST_API_KEY';
  const said = (): string => redactorOf().text('first-value-1, other-value-2');
  try {
    process.env[name] = 'first-value-1';
    expect([said(), said()]).toEqual(Array(2).fill(`[redacted ${name}], other-value-2`));
    process.env[name] = 'other-value-2';
    expect(said()).toBe(`first-value-1, [redacted ${name}]`);
  } finally {
    delete process.env[name];
  }
  expect(said()).toBe('first-value-1, other-value-2');
});
