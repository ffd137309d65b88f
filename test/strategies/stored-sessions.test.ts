import { describe, expect, test } from 'vitest';
import type { EngineRequest } from '../../src/actors/strategies/passthrough.ts';
import { passthrough } from '../../src/actors/strategies/passthrough.ts';
import { storedSessions } from '../../src/actors/strategies/stored-sessions.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { keptFiles } from '../support/kept-files.ts';
import { ofType, settled } from '../support/runs.ts';

describe.each(keptFiles('sessions'))('sessions of an engine outside, kept in $where', ({ place }) => {
  const world = () => {
    const open = place();
    const clock = virtualClock(1_000);
    const asked: EngineRequest[] = [];
    /** As a process of its own would. */
    const run = (input: string, thread = 'ticket-7') => {
      const strategy = passthrough({
        sessions: storedSessions(open(), { now: () => clock.now() }),
        sessionLifeMs: 60_000,
        engine: {
          ask: (request) => {
            asked.push(request);
            return { text: `answer ${asked.length}`, session: `s${asked.length}` };
          },
        },
      });
      return settled(agent({ name: 'coder', strategy }).stream(input, { thread, clock }));
    };
    return { open, clock, asked, run };
  };

  test('[TENEX-10] are gone on with by another process', async () => {
    const { asked, run } = world();
    await run('one');
    await run('two');
    await run('three', 'another');
    expect(asked.map(({ session }) => session)).toEqual([undefined, 's1', undefined]);
  });

  test('are given up when they have expired, and removed', async () => {
    const { open, clock, asked, run } = world();
    await run('one');
    await run('one', 'left alone');
    await clock.advance(60_000);
    const { events } = await run('two');
    expect(asked[2]?.session).toBeUndefined();
    expect(ofType(events, 'session.lost')).toHaveLength(1);
    expect(await open().names()).toHaveLength(1);
  });

  test.each([
    ['cut off', '{"v":1,"id":"s1","ex'],
    ['of another version', '{"v":2,"id":"s1","expiresAt":99999999}'],
    ['of no id that one can have', '{"v":1,"id":"--rm -rf","expiresAt":99999999}'],
    ['without an end', '{"v":1,"id":"s1"}'],
    ['no object', '"s1"'],
  ])('that are %s are dropped, and the run says so', async (_, text) => {
    const { open, asked, run } = world();
    await run('one');
    const [name = ''] = await open().names();
    await open().write(name, text);
    const { output, events } = await run('two');
    expect(asked[1]?.session).toBeUndefined();
    expect(output).toBe('answer 2');
    expect(ofType(events, 'session.lost')).toHaveLength(1);
    await run('three');
    expect(asked[2]?.session).toBe('s2');
  });
});
