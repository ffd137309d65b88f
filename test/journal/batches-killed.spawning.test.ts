import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mockBatches } from '../support/mock-batches.ts';
import { sampled } from '../support/thorough.ts';
import { AnotherProcess } from './kills/another-process.ts';
import type { BatchedOrder } from './kills/batched-team.ts';

const program = new AnotherProcess('batched-team.ts');
const folder = mkdtempSync(join(tmpdir(), 'troupe-batches-'));
const MEMBERS = 12;

beforeAll(() => program.build());
afterAll(() => {
  program.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe('[BATCH] a process that is killed while its calls are in a batch', () => {
  const cases = [
    { vendor: 'openai', post: 'POST /v1/batches', moment: 'while it submits' },
    { vendor: 'openai', post: 'POST /v1/batches', moment: 'while it waits' },
    { vendor: 'anthropic', post: 'POST /v1/messages/batches', moment: 'while it submits' },
    { vendor: 'anthropic', post: 'POST /v1/messages/batches', moment: 'while it waits' },
    { vendor: 'mistral', post: 'POST /v1/batch/jobs', moment: 'while it waits' },
    { vendor: 'together', post: 'POST /v1/batches', moment: 'while it waits' },
    { vendor: 'together', post: 'POST /v1/batches', moment: 'while it submits' },
    { vendor: 'mistral', post: 'POST /v1/batch/jobs', moment: 'while it submits' },
  ] as const;
  test.each(sampled(cases, cases.length))(
    'is resumed with the answers of that very batch, which is submitted once: $vendor, $moment',
    async ({ vendor, post, moment }) => {
      const isEarly = moment === 'while it submits';
      await using service = await mockBatches({
        // The provider has the batch, and the process never hears of it.
        fault: (request, count) =>
          isEarly && request === post && count === 1 ? { ending: 'silent' } : undefined,
      });
      const order: BatchedOrder = {
        file: join(folder, `${vendor}-${isEarly}.db`),
        url: service.url,
        vendor,
        members: MEMBERS,
      };
      // With the look after the batch was submitted, its id is on record.
      const killed = program.run(order, {
        until: service.when(isEarly ? post : `GET ${post.slice(5)}/`, isEarly ? 1 : 3),
      });
      expect((await killed).wasKilled).toBe(true);
      service.end();
      const { lines, failure } = await program.run(order);
      expect(failure.replaceAll(/\(node.*\n|\(Use.*\n/g, '')).toBe('');
      expect(lines).toEqual([JSON.stringify(['completed', MEMBERS * 10])]);
      expect(service.batches.map(({ requests }) => requests.length)).toEqual([MEMBERS]);
      expect(service.seen.filter((each) => each === post)).toHaveLength(1);
      expect(service.seen.filter((each) => each.endsWith('/cancel'))).toEqual([]);
    },
    60_000,
  );
});
