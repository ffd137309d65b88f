import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import { inspect } from '../../../src/inspect/local/inspect.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { maxSteps } from '../../../src/machines/stopping/stop-rules.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { builtFile } from '../../support/built-package.ts';
import { root } from '../../support/run-script.ts';
import { echo, quiet } from '../../support/runs.ts';
import { isThorough, sampled } from '../../support/thorough.ts';
import { ask, askOpen, Looker, openInspector, PAGE, portOf } from './local-kit.ts';

const clerk = (steps: number, size = 10) =>
  agent({
    name: 'clerk',
    tools: [echo],
    stop: maxSteps(steps + 1),
    decide: ({ step }) =>
      step < steps ? act({ name: 'echo', input: { text: 'x'.repeat(size) } }) : answer('done'),
  });

/** So much that sockets do not hold it. */
const talkative = () => clerk(30, 30_000);

describe('a viewer that is slow', () => {
  test('is cut off once the recording has forgotten what it is sent next; the run goes on, and it can come again', async () => {
    const inspector = await openInspector({ capacity: 100 });
    const slow = new Looker(inspector);
    await slow.until(({ sent }) => sent.length > 0);
    slow.stall();
    const { status } = await talkative().run('go', { inspect: inspector, runId: 'r' });
    expect(status).toBe('completed');
    slow.goOn();
    await slow.untilClosed();
    const last = slow.sent.findLast(({ id }) => id !== undefined)?.id ?? '0';
    const again = await new Looker(inspector, '/api/recording', { 'last-event-id': last }).untilAll(
      inspector,
    );
    expect(again.data('base')).toEqual([inspector.recorder.recording.base()]);
    expect(again.data('entry')).toEqual([...inspector.recorder.recording.from()]);
  });

  if (isThorough)
    test('is cut off when it takes nothing for half a minute', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        const inspector = await openInspector();
        const slow = new Looker(inspector);
        await slow.until(({ sent }) => sent.length > 0);
        slow.stall();
        const { status } = await talkative().run('go', { inspect: inspector });
        expect(status).toBe('completed');
        await quiet();
        vi.advanceTimersByTime(30_000);
        slow.goOn();
        await slow.untilClosed();
        const late = await new Looker(inspector).untilAll(inspector);
        expect(late.data('entry')).toHaveLength(inspector.recorder.recording.length);
        expect(slow.data('entry').length).toBeLessThan(inspector.recorder.recording.length);
      } finally {
        vi.useRealTimers();
      }
    });

  if (isThorough)
    test('that takes what it is sent in the end gets all of it', async () => {
      // However long the run takes on a busy machine: it is no half minute.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        const inspector = await openInspector();
        const slow = new Looker(inspector);
        await slow.until(({ sent }) => sent.length > 0);
        slow.stall();
        await talkative().run('go', { inspect: inspector });
        slow.goOn();
        await slow.untilAll(inspector);
        expect(slow.data('entry')).toEqual([...inspector.recorder.recording.from()]);
      } finally {
        vi.useRealTimers();
      }
    });
});

describe('ten bad viewers', () => {
  test('leave the events of a run as they are', async () => {
    const run = (inspector?: Awaited<ReturnType<typeof openInspector>>) =>
      clerk(10).run('go', {
        runId: 'r',
        clock: virtualClock(0),
        ...(inspector === undefined ? {} : { inspect: inspector }),
      });
    const alone = await run();
    const inspector = await openInspector({ control: true });
    const port = portOf(inspector);
    const bad: readonly (() => unknown)[] = [
      // Who hangs up, and who never reads.
      () => new Looker(inspector).close(),
      () => new Looker(inspector).stall(),
      () => new Looker(inspector, '/api/recording?from=-1'),
      () => new Looker(inspector, '/api/recording', { 'last-event-id': 'x'.repeat(5_000) }),
      () => new Looker(inspector, '/api/stored/r/recording'),
      () => ask(port, '/api/recording', { headers: { host: 'evil.example' } }),
      () => askOpen(inspector, '/api/control', { method: 'POST', body: '\u0000' }),
      () =>
        connect(port, '127.0.0.1')
          .on('error', () => undefined)
          .end('GET / HTTP/1.1\r\nhost'),
      () =>
        connect(port, '127.0.0.1')
          .on('error', () => undefined)
          .end('\u0016\u0003\u0001\u0000'),
      () =>
        connect(port, '127.0.0.1')
          .on('error', () => undefined)
          .end(`GET /api/recording HTTP/1.1\r\n${'x: y\r\n'.repeat(10_000)}\r\n`),
    ];
    const visits = bad.map(async (visit) => {
      await visit();
    });
    const watched = await run(inspector);
    await Promise.allSettled(visits);
    expect(JSON.stringify(watched.events)).toBe(JSON.stringify(alone.events));
    expect((await askOpen(inspector, '/api/session')).status).toBe(200);
  });

  test('are no more than there is room for', async () => {
    const inspector = await openInspector();
    const lookers = Array.from({ length: 32 }, () => new Looker(inspector));
    await Promise.all(lookers.map((each) => each.until(({ sent }) => sent.length > 0)));
    expect((await askOpen(inspector, '/api/recording')).status).toBe(503);
    lookers[0]?.close();
    while ((await tried(inspector)) !== 200) await quiet();
  });
});

/** With what a viewer is let in. */
const tried = async (inspector: Awaited<ReturnType<typeof openInspector>>): Promise<number> => {
  const looker = new Looker(inspector);
  try {
    await looker.until(({ sent }) => sent.some(({ event }) => event === 'base'));
    return 200;
  } catch {
    return 503;
  } finally {
    looker.close();
  }
};

describe('an inspector', () => {
  test('that is closed frees its port at once, whoever looks on, and the run goes on', async () => {
    const inspector = await openInspector();
    const port = portOf(inspector);
    const looker = new Looker(inspector);
    await looker.until(({ sent }) => sent.length > 0);
    const silent = connect(port, '127.0.0.1').on('error', () => undefined);
    await new Promise((resolve) => silent.on('connect', resolve));
    const handle = clerk(3).stream('go', { inspect: inspector, paused: true });
    await inspector.close();
    await looker.untilClosed();
    const next = await openInspector({ port });
    expect(portOf(next)).toBe(port);
    expect(next.token).not.toBe(inspector.token);
    handle.resume();
    expect((await handle.result).status).toBe('completed');
    await inspector.close();
  });

  test('whose port is taken says so', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(inspect({ port, page: PAGE })).rejects.toMatchObject({ code: 'inspector.failed' });
    other.close();
  });

  const ends: readonly (readonly [object, string])[] = [
    [{}, 'done'],
    [{ keepsProcess: true }, 'kept'],
  ];
  test.each(sampled(ends, 2))(
    'lets a process that is done end, unless it is told to keep it: %j',
    async (options, expected) => {
      const script = `
      import { inspect } from ${JSON.stringify(builtFile('inspect/index.js'))};
      import { agent } from ${JSON.stringify(builtFile('index.js'))};
      const inspector = await inspect(${JSON.stringify({ page: PAGE, ...options })});
      console.log(inspector.url);
      const decide = ({ step }) => step < 3 ? { kind: 'wait', forMs: 100 } : { kind: 'answer', answer: 'done' };
      const { output } = await agent({ name: 'clerk', decide }).run('go', { inspect: inspector });
      console.log(output);
    `;
      const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = new Promise<string>((resolve) => child.on('exit', () => resolve('done')));
      let said = '';
      const says = (text: string) =>
        new Promise<void>((resolve) => {
          child.stdout.on('data', (part: Buffer) => {
            said += part.toString();
            if (said.includes(text)) resolve();
          });
        });
      const isOpen = says('\n');
      const isDone = says('done\n');
      await isOpen;
      const [url = ''] = said.split('\n');
      const looker = new Looker({ url, token: new URL(url).searchParams.get('token') ?? '' });
      await looker.until(({ sent }) => sent.length > 0);
      await isDone;
      const later = new Promise<string>((resolve) => {
        setTimeout(() => resolve('kept'), expected === 'kept' ? 500 : 30_000).unref();
      });
      expect(await Promise.race([ended, later])).toBe(expected);
      child.kill();
    },
  );
});
