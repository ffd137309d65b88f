import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EventBody, RuntimeEvent } from '../../../src/contracts/events/event.ts';
import { metrics } from '../../../src/inspect/telemetry/metrics/metrics.ts';
import { WorkFollower } from '../../../src/inspect/telemetry/work/follow-work.ts';
import { profile } from '../../../src/inspect/telemetry/profiles/profile.ts';
import type { Work } from '../../../src/inspect/telemetry/work/work.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { letTimePass, start } from '../../support/runs.ts';
import { desk } from './telemetry-kit.ts';

/** Events as a run would tell them, one after the other. */
const telling = () => {
  const events: RuntimeEvent[] = [];
  const tell = (at: number, path: string, body: EventBody): void => {
    const agent = path.split('/').at(-1) ?? path;
    events.push({ v: 1, seq: events.length, at, runId: 'r1', path, agent, ...body });
  };
  return { events, tell };
};

const totals = {
  steps: 0,
  modelCalls: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  retries: 0,
  durationMs: 0,
};

const over: EventBody = { type: 'run.ended', status: 'aborted', stopReason: { kind: 'aborted' }, totals };

/** Who is told of what; it throws at all of it, if it is to. */
const listening = (throws: boolean) => {
  const open = new Set<Work>();
  const seen = { began: 0, ended: 0, twice: 0 };
  const fail = (): void => {
    if (throws) throw new Error('no');
  };
  const follower = new WorkFollower({
    began: (work) => {
      seen.began += 1;
      open.add(work);
      fail();
    },
    noted: fail,
    ended: (work) => {
      seen.ended += 1;
      if (!open.delete(work)) seen.twice += 1;
      fail();
    },
  });
  return { follower, seen, open };
};

describe('what began ends once', () => {
  let events: readonly RuntimeEvent[] = [];
  beforeAll(async () => {
    const clock = virtualClock();
    ({ events } = await letTimePass(clock, start(desk(clock), 'When?', { clock, runId: 'r1' }).result, 50));
  });

  test.each([false, true])('wherever a run is cut off, also where who is told throws (%s)', (throws) => {
    fc.assert(
      fc.property(fc.nat({ max: 1_000 }), fc.boolean(), (cut, isToldTwice) => {
        const { follower, seen, open } = listening(throws);
        const take = (event: RuntimeEvent): void => {
          try {
            follower.take(event);
          } catch (thrown) {
            if (String(thrown) !== 'Error: no') throw thrown;
          }
        };
        const part = events.slice(0, 1 + (cut % events.length));
        const end: RuntimeEvent = {
          v: 1,
          seq: part.length,
          at: 1e6,
          runId: 'r1',
          path: 'desk',
          agent: 'desk',
          ...over,
        };
        for (const event of [...part, end]) {
          take(event);
          if (isToldTwice) take(event);
        }
        expect(seen.began).toBeGreaterThan(0);
        expect({ ...seen, open: open.size }).toEqual({
          began: seen.began,
          ended: seen.began,
          twice: 0,
          open: 0,
        });
      }),
    );
  });

  test('and close ends what no event will', () => {
    const { follower, seen } = listening(false);
    for (const event of events.slice(0, 40)) follower.take(event);
    follower.close();
    follower.close();
    expect(seen.ended).toBe(seen.began);
  });
});

test('who outlasts the phase in which it was engaged covers that phase, and no other', () => {
  const { events, tell } = telling();
  const phase = (name: string): EventBody => ({ type: 'phase.entered', phase: name });
  tell(0, 'a', { type: 'run.started', input: 'go' });
  tell(0, 'a', phase('OBSERVE'));
  tell(10, 'a/b', { type: 'member.engaged', member: 'b' });
  tell(10, 'a/b', phase('DECIDE'));
  tell(30, 'a', phase('DECIDE'));
  tell(50, 'a/b', {
    type: 'member.ended',
    member: 'b',
    status: 'completed',
    stopReason: { kind: 'answered' },
  });
  tell(60, 'a', over);
  const stacks = profile(events)?.stacks.map(({ frames, ms }) => [frames.join('/'), ms]) ?? [];
  expect(Object.fromEntries(stacks)).toEqual({ 'a/OBSERVE': 10, 'a/OBSERVE/b/DECIDE': 40, 'a/DECIDE': 30 });
});

test('a run that is suspended has not failed: it is unfinished, and no run that is over', () => {
  const { events, tell } = telling();
  const error = { code: 'run.suspended', message: 'to be gone on with', retryable: 'yes' } as const;
  tell(0, 'a', { type: 'run.started', input: 'go' });
  tell(0, 'a', { type: 'phase.entered', phase: 'OBSERVE' });
  tell(9, 'a', { ...over, status: 'failed', stopReason: { kind: 'failed' }, error });
  const counted = metrics();
  for (const event of events) void counted.handle(event, {});
  expect(counted.snapshot()).toMatchObject({
    runs: { started: 1, failed: 0 },
    errors: {},
    now: { runs: 0 },
    agents: [{ failed: 0, unfinished: 1 }],
  });
});

test('drops are summed up, and the most of a budget is kept', () => {
  const { events, tell } = telling();
  tell(0, 'a', { type: 'run.started', input: 'go' });
  tell(0, 'a', { type: 'phase.entered', phase: 'OBSERVE' });
  tell(1, 'a', { type: 'observer.dropped', observer: 'slow', count: 7 });
  tell(2, 'a', { type: 'observer.dropped', observer: 'slow', count: 3 });
  tell(3, 'a', { type: 'message.dropped', to: 'b', from: 'a', text: 'hi', reason: 'full', count: 2 });
  for (const fraction of [0.8, 1, 0.9])
    tell(4, 'a', { type: 'budget.warned', budget: 'tokens', limit: 100, used: 100 * fraction, fraction });
  const counted = metrics();
  for (const event of events) void counted.handle(event, {});
  expect(counted.snapshot()).toMatchObject({ dropped: { events: 10, messages: 2 }, budgets: { tokens: 1 } });
});
