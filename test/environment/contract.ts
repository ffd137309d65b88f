import { describe, expect, it } from 'vitest';
import type { EnvironmentWorld } from '../../src/testing/environment-laws.ts';
import { environmentLaws } from '../../src/testing/environment-laws.ts';

/** What every environment owes those who use it, whatever it is made of. */
export const environmentContract = (name: string, make: () => Promise<EnvironmentWorld>): void => {
  describe(`the environment ${name}`, () => {
    it.each(environmentLaws(make))('$name', async ({ check }) => {
      await expect(check()).resolves.toBeUndefined();
    });

    it('lists a folder in the order of the names, not of the writing', async () => {
      const made = await make();
      const { environment } = made;
      await environment.setup?.({ runId: 'r', path: 'p' });
      const { files } = environment.ops ?? {};
      for (const each of ['b', 'c', 'a']) await files?.write(`many/${each}`, each);
      expect((await files?.list('many'))?.map((entry) => entry.name)).toEqual(['a', 'b', 'c']);
      await environment.teardown?.();
      await made.dispose?.();
    });
  });
};

/** The code of an error. */
export const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && 'code' in thrown ? thrown.code : thrown;
