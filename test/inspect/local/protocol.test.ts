import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { pipeline } from '../../../src/patterns/index.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { echo } from '../../support/runs.ts';
import { ask, askOpen, Looker, openInspector, portOf } from './local-kit.ts';

const clerk = (steps = 2) =>
  agent({
    name: 'clerk',
    tools: [echo],
    decide: ({ step }) =>
      step < steps ? act({ name: 'echo', input: { text: `step ${step}` } }) : answer('done'),
  });

const house = () =>
  pipeline({ name: 'house', stages: [clerk(), agent({ name: 'last', decide: () => answer('out') })] });

describe('the page', () => {
  test('[M85] is given to who has the token, and then to its cookie; its policy lets in what has its nonce', async () => {
    const inspector = await openInspector();
    const { token } = inspector;
    const port = portOf(inspector);
    const first = await ask(port, `/?token=${token}`);
    expect(first.status).toBe(200);
    expect(first.headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = String(first.headers['content-security-policy']);
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    expect(nonce.length).toBeGreaterThan(20);
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
      "connect-src 'self'",
      "img-src 'self' data:",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(first.text).toBe(
      `<!doctype html><script nonce="${nonce}">1</script><style nonce="${nonce}"></style>`,
    );
    expect(first.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    const [cookie = ''] = first.headers['set-cookie'] ?? [];
    expect(cookie).toBe(`troupe_${port}=${token}; HttpOnly; SameSite=Strict; Path=/`);
    const [pair = ''] = cookie.split(';');
    const again = await ask(port, '/', { headers: { cookie: `other=1; ${pair}` } });
    expect(again.status).toBe(200);
    expect(again.text).not.toContain(nonce);
  });
});

describe('the session', () => {
  test('[QITOS-78] says what may be done, and which runs there are, the newest first', async () => {
    const inspector = await openInspector({ control: true });
    await clerk().run('the first of all questions', { inspect: inspector, runId: 'one' });
    const handle = clerk().stream('second', { inspect: inspector, runId: 'two', paused: true });
    const { status, text } = await askOpen(inspector, '/api/session');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      control: true,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      runs: [
        { run: 'two', agent: 'clerk', isLive: true, status: 'running', title: 'second', source: 'live' },
        {
          run: 'one',
          agent: 'clerk',
          isLive: false,
          status: 'completed',
          title: 'the first of all questions',
          source: 'live',
        },
      ],
    });
    handle.abort();
    await handle.result;
  });

  test('has no secret in it', async () => {
    const secret = 'sk-veryverysecret';
    const inspector = await openInspector({ secrets: { API_KEY: secret } });
    await clerk().run(`${'x'.repeat(110)} ${secret}`, { inspect: inspector });
    const { text } = await askOpen(inspector, '/api/session');
    expect(text).not.toContain(secret.slice(0, 9));
  });
});

describe('a recording', () => {
  test('comes as a base, then all entries with their places, then what happens', async () => {
    const inspector = await openInspector();
    const early = new Looker(inspector, '/api/recording?from=0');
    await early.until(({ sent }) => sent.length > 1);
    expect(early.sent[0]).toEqual({
      event: 'base',
      id: undefined,
      data: JSON.stringify({ length: 0, charts: [], actors: [] }),
    });
    await house().run('go', { inspect: inspector, runId: 'r' });
    await early.untilAll(inspector);
    const { recording } = inspector.recorder;
    expect(early.data('entry')).toEqual([...recording.from()]);
    expect(early.sent.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]))).toEqual(
      Array.from({ length: recording.length }, (_, place) => place),
    );
    const late = await new Looker(inspector).untilAll(inspector);
    expect(late.tableau).toBe(early.tableau);
    const later = await new Looker(inspector, `/api/recording?from=${recording.length - 3}`).untilAll(
      inspector,
    );
    expect(later.data('base')).toEqual([]);
    expect(later.data('entry')).toEqual([...recording.from(recording.length - 3)]);
  });

  test('of which the beginning is forgotten comes as a base, and is the same', async () => {
    const inspector = await openInspector({ capacity: 20 });
    const early = new Looker(inspector);
    await early.until(({ sent }) => sent.length > 0);
    await house().run('go', { inspect: inspector, runId: 'r' });
    await early.untilAll(inspector);
    const { first } = inspector.recorder.recording;
    expect(first).toBeGreaterThan(0);
    for (const path of ['/api/recording', '/api/recording?from=1', '/api/recording?from=99999']) {
      const late = await new Looker(inspector, path).untilAll(inspector);
      expect(JSON.parse(late.data('base')[0] ?? '')).toMatchObject({ length: first });
      expect(late.tableau).toBe(early.tableau);
    }
    const kept = await new Looker(inspector, `/api/recording?from=${first}`).untilAll(inspector);
    expect(kept.data('base')).toEqual([]);
  });

  test('goes on where a viewer was: nothing is missing, and nothing comes twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 60 }), { maxLength: 5 }), async (cuts) => {
        const inspector = await openInspector();
        const { recording } = inspector.recorder;
        const got: string[] = [];
        const lookAgain = (): Looker => {
          const headers = got.length === 0 ? {} : { 'last-event-id': String(got.length - 1) };
          return new Looker(inspector, '/api/recording?from=0', headers);
        };
        const has =
          (count: () => number) =>
          (looker: Looker): boolean =>
            got.length + looker.data('entry').length >= count();
        const running = house().run('go', { inspect: inspector, runId: 'r' });
        for (const cut of cuts.toSorted((a, b) => a - b)) {
          const looker = lookAgain();
          await looker.until(has(() => cut));
          got.push(...looker.data('entry'));
          looker.close();
        }
        await running;
        expect(recording.length).toBeGreaterThan(60);
        const last = await lookAgain().until(has(() => recording.length));
        expect([...got, ...last.data('entry')]).toEqual([...recording.from()]);
      }),
      { numRuns: 20 },
    );
  });

  test('has what a model says while it says it', async () => {
    const inspector = await openInspector();
    const looker = new Looker(inspector);
    await looker.until(({ sent }) => sent.length > 0);
    const said = scriptedModel(['a word and another']);
    await agent({ name: 'teller', model: said }).run('go', { inspect: inspector });
    await looker.until((each) => each.data('delta').length > 0);
    expect(JSON.parse(looker.data('delta')[0] ?? '')).toMatchObject({ type: 'model.delta' });
  });

  test('has what waits for people, whenever that changes', async () => {
    const inspector = await openInspector({ secrets: { API_KEY: 'sk-veryverysecret' } });
    const looker = new Looker(inspector);
    await looker.until((each) => each.data('requests').length > 0);
    expect(looker.requests).toEqual([]);
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      input: z.object({ with: z.string() }),
      approval: true,
      execute: () => 'paid',
    });
    const payer = agent({
      name: 'payer',
      tools: [pay],
      decide: ({ step }) =>
        step === 0 ? act({ name: 'pay', input: { with: 'sk-veryverysecret' } }) : answer('paid'),
    });
    const handle = payer.stream('go', { inspect: inspector, runId: 'r' });
    await looker.until(({ requests }) => requests.length > 0);
    expect(looker.requests).toMatchObject([
      { run: 'r', kind: 'approval', tool: 'pay', path: 'payer', input: { with: '[redacted API_KEY]' } },
    ]);
    const late = new Looker(inspector);
    await late.until(({ requests }) => requests.length > 0);
    handle.approve(late.requests[0]?.id ?? '');
    await looker.until(({ requests }) => requests.length === 0);
    await handle.result;
  });

  test('is kept open by a line now and then', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const inspector = await openInspector();
      const looker = new Looker(inspector);
      await looker.until(({ sent }) => sent.length > 0);
      vi.advanceTimersByTime(15_000);
      await looker.until(({ comments }) => comments > 0);
      expect(looker.comments).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });
});
