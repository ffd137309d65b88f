import { describe, expect, test } from 'vitest';
import type { EngineAnswer, EngineRequest } from '../../src/actors/strategies/passthrough.ts';
import { passthrough } from '../../src/actors/strategies/passthrough.ts';
import { memorySessions } from '../../src/actors/strategies/session-store.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { ofType, settled } from '../support/runs.ts';

type Reply = EngineAnswer | ((request: EngineRequest) => EngineAnswer);

const external = (...replies: readonly Reply[]) => {
  const asked: EngineRequest[] = [];
  const sessions = memorySessions();
  const clock = virtualClock(1_000);
  const strategy = passthrough({
    name: 'claude',
    sessions,
    sessionLifeMs: 60_000,
    engine: {
      ask: (request) => {
        const reply = replies[asked.length];
        asked.push(request);
        if (reply === undefined) throw new Error('nothing is left to say');
        return typeof reply === 'function' ? reply(request) : reply;
      },
    },
  });
  const coder = agent({ name: 'coder', strategy, instructions: 'Write calm code.' });
  const run = (input: string, thread = 'ticket-7') => settled(coder.stream(input, { thread, clock }));
  return { asked, sessions, clock, coder, run };
};

const gone = () => {
  throw new TroupeError('session.lost', 'Cannot resume s1 as nobody knows it');
};

describe('[TENEX-72] an engine outside', () => {
  test('hears the last message as its prompt, and the system prompt', async () => {
    const { asked, run } = external({ text: 'Mended.', session: 's1' });
    expect((await run('Mend the build.')).output).toBe('Mended.');
    expect(asked).toMatchObject([
      { prompt: 'Mend the build.', instructions: 'Write calm code.', earlier: [] },
    ]);
    expect(asked[0]?.session).toBeUndefined();
  });

  test.each(['', '  \n '])('an empty prompt is refused, and the engine not asked: %j', async (prompt) => {
    const { asked, run } = external({ text: 'x' });
    expect(await run(prompt)).toMatchObject({ status: 'failed', error: { code: 'input.invalid' } });
    expect(asked).toEqual([]);
  });

  test('[TENEX-10] its session is gone on with in the same thread, and in no other', async () => {
    const { asked, run } = external(
      { text: 'one', session: 's1' },
      { text: 'two' },
      { text: 'three', session: 's2' },
      { text: 'four', session: 's3' },
      { text: 'five' },
    );
    await run('a');
    await run('b');
    await run('c', 'ticket-8');
    await run('d');
    await run('e');
    expect(asked.map(({ session }) => session)).toEqual([undefined, 's1', undefined, 's1', 's3']);
  });

  test('[TENEX-10] of two agents in one thread each has a session of its own', async () => {
    const asked: (string | undefined)[] = [];
    const strategy = passthrough({
      engine: {
        ask: ({ session, instructions }) => {
          asked.push(session);
          return { text: 'x', session: instructions };
        },
      },
    });
    for (const name of ['ada', 'bob', 'ada'])
      await agent({ name, strategy, instructions: name }).run('go', { thread: 't' });
    expect(asked).toEqual([undefined, undefined, 'ada']);
  });

  test('[TENEX-10] of two agents of one name in one thread, too; each goes on with its own in the next run', async () => {
    const asked: (string | undefined)[] = [];
    const strategy = passthrough({
      engine: {
        ask: ({ session }) => {
          asked.push(session);
          return { text: 'x', session: session ?? `s${asked.length}` };
        },
      },
    });
    const ada = agent({ name: 'ada', strategy });
    const line = pipeline({ name: 'line', stages: [ada, ada] });
    await ada.run('go', { thread: 't' });
    await line.run('go', { thread: 't' });
    await line.run('go', { thread: 't' });
    await ada.run('go', { thread: 't' });
    expect(asked).toEqual([undefined, undefined, undefined, 's2', 's3', 's1']);
  });

  test('what streams in is heard while it comes', async () => {
    const { coder } = external(({ delta }) => {
      delta('Men');
      return { text: 'Mended.' };
    });
    const heard: string[] = [];
    const handle = coder.stream('go');
    handle.events$.subscribe((event) => {
      if (event.type === 'model.delta' && event.delta.type === 'text') heard.push(event.delta.text);
    });
    await handle.result;
    expect(heard).toEqual(['Men']);
  });
});

describe('[TENEX-Q05] a session that is gone', () => {
  const history = [
    { role: 'user', text: 'Who are you?' },
    { role: 'assistant', text: 'The coder.' },
  ] as const;

  test('that the engine does not know: it begins anew, told what was said before', async () => {
    const { asked, run, coder, clock, sessions } = external({ text: 'one', session: 's1' }, gone, {
      text: 'two',
      session: 's2',
    });
    await run('a');
    const result = await coder.run('b', { thread: 'ticket-7', clock, history });
    expect(result.output).toBe('two');
    expect(asked[1]).toMatchObject({ session: 's1', earlier: [], prompt: 'b' });
    expect(asked[2]).toMatchObject({ earlier: history, prompt: 'b' });
    expect(asked[2]?.session).toBeUndefined();
    expect(asked[2]?.key).not.toBe(asked[1]?.key);
    expect(ofType(result.events, 'session.lost')).toMatchObject([{ strategy: 'claude', agent: 'coder' }]);
    expect(sessions.get(JSON.stringify(['ticket-7', 'coder', 'coder']))).toMatchObject({ id: 's2' });
  });

  test('that has expired is not tried', async () => {
    const { asked, run, clock } = external({ text: 'one', session: 's1' }, { text: 'two' });
    await run('a');
    await clock.advance(60_000);
    const { events } = await run('b');
    expect(asked[1]?.session).toBeUndefined();
    expect(ofType(events, 'session.lost')).toMatchObject([{ reason: 'it has expired' }]);
  });

  test('the engine itself may say when it expires', async () => {
    const { asked, run, clock } = external({ text: 'one', session: 's1', expiresAt: 1_500 }, { text: 'two' });
    await run('a');
    await clock.advance(500);
    await run('b');
    expect(asked[1]?.session).toBeUndefined();
  });

  test.each(['-rf', 'a b', '../up', '', 'x'.repeat(257), 'a\nb'])(
    'an id that could mean something else is never kept: %j',
    async (session) => {
      const { asked, run } = external({ text: 'one', session }, { text: 'two' });
      await run('a');
      await run('b');
      expect(asked[1]?.session).toBeUndefined();
    },
  );

  test('an id that somebody else put into the store is looked at, too', async () => {
    const { asked, run, sessions } = external({ text: 'one' });
    await sessions.set(JSON.stringify(['ticket-7', 'coder']), { id: '--help', expiresAt: 1e15 });
    await run('a');
    expect(asked[0]?.session).toBeUndefined();
  });

  test('an engine that loses the new one too is not asked a third time', async () => {
    const { asked, run } = external({ text: 'one', session: 's1' }, gone, gone);
    await run('a');
    expect(await run('b')).toMatchObject({ status: 'failed', error: { code: 'session.lost' } });
    expect(asked).toHaveLength(3);
  });
});
