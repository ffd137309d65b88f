import { describe, expect, it } from 'vitest';
import type { EnvironmentWorld } from '../../src/testing/environment-laws.ts';
import { environmentLaws } from '../../src/testing/environment-laws.ts';

/** What every environment owes those who use it, whatever it is made of. */
export const environmentContract = (name: string, make: () => Promise<EnvironmentWorld>): void => {
  describe(`the environment ${name}`, () => {
    it.each(environmentLaws(make))('$name', async ({ check }) => {
      await expect(check()).resolves.toBeUndefined();
    });
  });
};

/** The code of an error. */
export const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && 'code' in thrown ? thrown.code : thrown;
