import * as z from 'zod/mini';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inEnglish } from '../../src/base/schemas/in-english.ts';

describe('the messages of a schema of the package', () => {
  const { localeError } = z.config();

  beforeEach(() => {
    z.config({ localeError: undefined });
  });

  afterEach(() => {
    z.config({ localeError });
  });

  const messageFor = (given: unknown): string | undefined =>
    inEnglish(z.string()).safeParse(given).error?.issues[0]?.message;

  test('are English where zod has no language', () => {
    expect(z.string().safeParse(1).error?.issues[0]?.message).toBe('Invalid input');
    expect(messageFor(1)).toBe('Invalid input: expected string, received number');
  });

  test('are in the language that an app chose', () => {
    z.config({ localeError: () => 'falsch' });
    expect(messageFor(1)).toBe('falsch');
  });
});
