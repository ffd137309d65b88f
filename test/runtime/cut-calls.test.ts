import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { maxTime } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay } from '../../src/index.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { PlainStore } from '../support/plain-store.ts';
import { parallel } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { hang, ofType, quiet, settled, start } from '../support/runs.ts';

const hangs = calls({ name: 'hang', input: {} }, { name: 'hang', input: {} });

/** Hangs in two calls that began at once. */
const stuck = (stop = maxTime(9e9)) =>
  agent({ name: 'stuck', model: scriptedModel([hangs]), tools: [hang], stop });

const team = () =>
  parallel({
    name: 'desk',
    members: {
      stuck: stuck(maxTime(700)),
      later: agent({ name: 'later', model: scriptedModel([hangs]), tools: [hang] }),
    },
  });

/** How long the calls took that were cut short, in the order in which they were closed. */
const cutIn = ({ events }: Awaited<ReturnType<typeof settled>>): readonly (readonly [string, number])[] =>
  ofType(events, 'tool.finished').map(({ agent: name, durationMs, synthesised }) => {
    expect(synthesised).toBe(true);
    return [name, durationMs];
  });

describe('a call that is cut short', () => {
  test('took as long as it went on', async () => {
    const clock = virtualClock(1_000);
    const handle = start(stuck(), 'go', { clock });
    await clock.advance(400);
    handle.abort('enough');
    expect(cutIn(await settled(handle))).toEqual([
      ['stuck', 400],
      ['stuck', 400],
    ]);
  });

  test.each([
    {
      what: 'an agent',
      make: () => stuck(),
      cut: [
        ['stuck', 1_300],
        ['stuck', 1_300],
      ],
    },
    {
      what: 'members of a team, each for itself',
      make: team,
      cut: [
        ['stuck', 701],
        ['stuck', 701],
        ['later', 1_300],
        ['later', 1_300],
      ],
    },
  ])('and a replay says the same: $what', async ({ make: given, cut }) => {
    const make: () => Agent<string, unknown, unknown> = given;
    const clock = virtualClock(1_000);
    const store = memoryStore();
    const handle: RunHandle<unknown, unknown> = make().stream('go', { store, runId: 'r', clock });
    await quiet();
    await clock.advance(1_300);
    handle.abort('enough');
    const result = await settled(handle);
    expect(cutIn(result)).toEqual(cut);
    expect((await replay(make(), 'r', { store })).events).toEqual(result.events);
  });

  test('in a journal of version 0.1, which measured none, is replayed as it is on record', async () => {
    const clock = virtualClock(1_000);
    const store = memoryStore();
    const handle = stuck().stream('go', { store, runId: 'r', clock });
    await quiet();
    await clock.advance(400);
    handle.abort('enough');
    await settled(handle);
    const { records } = await recordsIn(store, 'r');
    const older = records.map((record) =>
      record.kind === 'event' && record.event.type === 'tool.finished'
        ? { ...record, event: { ...record.event, durationMs: 0 } }
        : record,
    );
    const { result, events } = await replay(stuck(), 'r', { store: PlainStore.with('r', older) });
    expect(result?.status).toBe('aborted');
    expect(ofType(events, 'tool.finished').map(({ durationMs }) => durationMs)).toEqual([0, 0]);
  });
});
