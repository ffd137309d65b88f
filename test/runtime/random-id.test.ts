import { afterEach, expect, test, vi } from 'vitest';
import { randomId } from '../../src/base/random-id.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

afterEach(() => {
  vi.unstubAllGlobals();
});

test('[FIND-61] a run begins where the platform has no randomUUID, as on a page over plain http', async () => {
  const { crypto } = globalThis;
  vi.stubGlobal('crypto', {
    getRandomValues: <Bytes extends Uint8Array>(bytes: Bytes): Bytes => crypto.getRandomValues(bytes),
  });
  const { runId, output } = await agent({ name: 'a', model: scriptedModel(['42']) }).run('go');
  expect(output).toBe('42');
  expect(runId).toMatch(UUID);
});

test('[FIND-61] ids are UUIDs of version 4 either way, and differ', () => {
  const ids = [randomId(), randomId()];
  vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => bytes.map((_, index) => index * 17) });
  ids.push(randomId());
  expect(ids.every((id) => UUID.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(3);
});
