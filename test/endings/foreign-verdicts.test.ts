import { describe, expect, test } from 'vitest';
import type { Ending, EndingVerdict } from '../../src/contracts/agents/ending.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { settled, start } from '../support/runs.ts';

const circular: Record<string, unknown> = {};
circular['self'] = circular;

/** What a policy in JavaScript may say: types hold nobody there. */
const VERDICTS: readonly [string, unknown][] = [
  ['ends with a bigint', { kind: 'end', answer: 1n }],
  ['ends with a date', { kind: 'end', answer: new Date(0) }],
  ['ends with a map', { kind: 'end', answer: new Map([[1, 2]]) }],
  ['ends with a function', { kind: 'end', answer: () => 1 }],
  ['ends with what holds itself', { kind: 'end', answer: circular }],
  ['completes with a bigint', { kind: 'autoComplete', answer: 1n }],
  ['completes with nothing', { kind: 'autoComplete' }],
  ['completes with what holds itself', { kind: 'autoComplete', answer: circular }],
  ['goes on without a word', { kind: 'goOn' }],
  ['goes on with an object', { kind: 'goOn', note: { a: 1n } }],
  ['goes on by an object', { kind: 'goOn', note: 'more', by: circular }],
  ['goes on after no number', { kind: 'goOn', note: 'more', afterMs: '5' }],
  ['gives up for no reason', { kind: 'giveUp' }],
  ['gives up by a bigint', { kind: 'giveUp', by: 1n, note: circular }],
  ['fails without an error', { kind: 'fail' }],
  ['fails with a text', { kind: 'fail', error: 'x' }],
  [
    'fails with what holds itself',
    { kind: 'fail', error: { code: 'tool.failed', message: 'x', details: circular } },
  ],
  ['says nothing', undefined],
  ['says null', null],
  ['says a bigint', { kind: 1n }],
];

const policy = (verdict: unknown): Ending => ({ name: 'odd', answered: () => verdict as EndingVerdict });

const one = (verdict: unknown) =>
  agent({
    name: 'ada',
    model: scriptedModel(['a', 'b', 'c']),
    stop: { ends: policy(verdict), rules: [maxSteps(3)] },
  });

describe('a policy of ending that lies', () => {
  test.each(VERDICTS)(
    '[FIND-55] %s: the run ends, and all that is told of it is plain JSON',
    async (_, verdict) => {
      const result = await settled(start(one(verdict), 'go'));
      for (const event of result.events) expect(JSON.parse(JSON.stringify(event))).toEqual(event);
      expect(JSON.parse(JSON.stringify(result.output ?? null))).toEqual(result.output ?? null);
      expect(['completed', 'stopped', 'failed']).toContain(result.status);
    },
  );
});

test.each(VERDICTS)(
  'a stored run whose policy of ending lies is replayed as it was: %s',
  async (_, verdict) => {
    const store = memoryStore();
    const handle = one(verdict).stream('go', { store, runId: 'r' });
    const result = await settled(handle);
    const again = await replay(one(verdict), 'r', { store });
    expect(again.events).toEqual(result.events);
  },
);
