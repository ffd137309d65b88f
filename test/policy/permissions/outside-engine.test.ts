import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, tool, type Decision } from '../../../src/index.ts';
import { opa, policy } from '../../../src/policy/index.ts';
import { callUntyped } from '../../support/call-untyped.ts';
import { proposed } from './proposed-call.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface Asked {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly input: Record<string, unknown>;
}

/** Starts a server that is asked as that of Open Policy Agent is, by `POST /v1/data/PATH`; `answers` writes the answer. */
const startOpa = async (answers: (response: ServerResponse, asked: Asked) => void) => {
  const questions: Asked[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { input } = z.object({ input: z.record(z.string(), z.unknown()) }).parse(JSON.parse(text));
      const asked = { url: request.url, authorization: request.headers.authorization, input };
      questions.push(asked);
      answers(response, asked);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  // It listens on a port.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, questions };
};

const says = (decision: unknown) => (response: ServerResponse) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(decision === undefined ? {} : { result: decision }));
};
const path = 'troupe/verdict';

describe('[KAIZEN-62] Open Policy Agent', () => {
  test('is asked by its data API about the call, and nothing of the run but what the app adds', async () => {
    const { url, questions } = await startOpa(says(true));
    const call = proposed({
      tool: 'files.save',
      category: 'files',
      tags: ['slow'],
      path: 'desk/clerk-2',
      input: { path: 'a.md' },
      environment: 'shop',
      origins: ['web.read'],
      context: { tenant: 'acme', key: 'secret' },
    });
    const headers = async () => ({ authorization: 'Bearer t' });
    expect(await opa({ url: `${url}/`, path, headers, also: () => ({ tenant: 'acme' }) })(call)).toEqual({
      verdict: 'allow',
      rule: 'opa troupe/verdict',
    });
    expect(questions).toEqual([
      {
        url: '/v1/data/troupe/verdict',
        authorization: 'Bearer t',
        input: {
          tool: 'files.save',
          toolset: 'files',
          safety: 'write',
          category: 'files',
          tags: ['slow'],
          agent: 'clerk',
          role: 'clerk',
          path: 'desk/clerk-2',
          above: ['desk'],
          input: { path: 'a.md' },
          environment: 'shop',
          after: ['web.read'],
          time: '2026-01-05T12:00:00.000Z',
          also: { tenant: 'acme' },
        },
      },
    ]);
  });

  test.each<[string, unknown, object]>([
    ['true', true, { verdict: 'allow', rule: 'opa troupe/verdict' }],
    ['false', false, { verdict: 'deny', reason: 'OPA denies it' }],
    [
      'a verdict',
      { verdict: 'deny', reason: 'as OPA says', rule: 'no_wiping' },
      { reason: 'as OPA says', rule: 'no_wiping' },
    ],
    [
      'a question to people',
      { verdict: 'ask', by: 'lead', approvals: 2 },
      { verdict: 'ask', by: 'lead', approvals: 2 },
    ],
  ])('decides by %s', async (_, decision, verdict) => {
    const { url } = await startOpa(says(decision));
    expect(await opa({ url, path })(proposed())).toMatchObject(verdict);
  });

  test.each([Infinity, 2 ** 40 + 0.5])('has as long as it is given: %d ms', async (timeoutMs) => {
    const { url } = await startOpa(says(true));
    expect(await opa({ url, path, timeoutMs })(proposed())).toMatchObject({ verdict: 'allow' });
  });

  test.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['has no such rule', says(undefined), /decision is undefined/],
    ['answers null', says(null), /no verdict/],
    ['answers a text', says('allow'), /no verdict/],
    ['answers another object', says({ allow: true }), /no verdict/],
    ['names terms that cannot be read', says({ verdict: 'ask', approvals: 'two' }), /no verdict/],
    ['answers no JSON', (response) => response.end('<html>'), /JSON/],
    ['answers no UTF-8', (response) => response.end(Buffer.from([0x22, 0xff, 0x22])), /./],
    ['answers nothing', (response) => response.end(), /JSON/],
    ['answers 500', (response) => response.writeHead(500).end('{"result":true}'), /it answered 500/],
    ['answers 204', (response) => response.writeHead(204).end(), /it answered 204/],
    [
      'redirects',
      (response) => response.writeHead(307, { location: '/v1/data/all' }).end(),
      /it answered 307/,
    ],
    ['hangs up', (response) => response.destroy(), /fetch failed/],
    [
      'floods',
      (response) => {
        const pour = (): void => {
          while (!response.destroyed && response.write(' '.repeat(65_536)));
        };
        response.on('drain', pour);
        pour();
      },
      /longer than 100000 bytes/,
    ],
  ])('denies where the server %s', async (_, answers, reason) => {
    const { url, questions } = await startOpa(answers);
    expect(await opa({ url, path })(proposed())).toMatchObject({
      verdict: 'deny',
      rule: 'opa troupe/verdict',
      reason: expect.stringMatching(reason),
    });
    expect(questions).toHaveLength(1);
  });

  test('denies where the server is silent, or stops in the middle of an answer', async () => {
    for (const answers of [
      () => undefined,
      (response: ServerResponse) => void response.write('{"result":'),
    ]) {
      const { url } = await startOpa(answers);
      expect(await opa({ url, path, timeoutMs: 50 })(proposed())).toMatchObject({
        verdict: 'deny',
        reason: expect.stringMatching(/timeout/),
      });
    }
  });

  test('denies where nobody listens, where a callback fails, and at the end of the run', async () => {
    const { url } = await startOpa(says(true));
    const fails = () => {
      throw new Error('no token');
    };
    const signal = AbortSignal.abort();
    expect(await opa({ url: 'http://127.0.0.1:1', path })(proposed())).toMatchObject({ verdict: 'deny' });
    expect(await opa({ url, path, headers: fails })(proposed())).toMatchObject({
      verdict: 'deny',
      reason: expect.stringContaining('no token'),
    });
    expect(await opa({ url, path, also: fails })(proposed())).toMatchObject({ verdict: 'deny' });
    expect(await opa({ url, path })(proposed({ signal }))).toMatchObject({ verdict: 'deny' });
  });

  test('says nothing of what it was authorized by', async () => {
    const reason = JSON.stringify(
      await opa({ url: 'http://127.0.0.1:1', path, headers: () => ({ authorization: 'sec\nret' }) })(
        proposed(),
      ),
    );
    expect(reason).toContain('not valid');
    expect(reason).not.toContain('sec');
  });

  test.each<[string, object]>([
    ['its url is', { url: 'ftp://opa', path }],
    ['its url is', { url: 'http://user:word@opa', path }],
    ['its url is', { url: 'http://opa?x=1', path }],
    ['its path is', { url: 'http://opa', path: '../config' }],
    ['its path is', { url: 'http://opa', path: '/troupe' }],
    ['its path is', { url: 'http://opa', path: 'troupe?x' }],
    ['its timeoutMs is', { url: 'http://opa', path, timeoutMs: 0 }],
    ['its maxBytes is', { url: 'http://opa', path, maxBytes: 0 }],
    ['unknown', { url: 'http://opa', path, tiemoutMs: 1 }],
  ])('is refused where %s wrong', (problem, options) => {
    expect(() => callUntyped({ opa }, 'opa', options)).toThrow(
      expect.objectContaining({ code: 'policy.invalid', message: expect.stringContaining(problem) }),
    );
  });

  test('decides about the calls of a run, with the rule that it names on record', async () => {
    const { url } = await startOpa((response, { input }) =>
      says(input['tool'] === 'save' || { verdict: 'deny', reason: 'as OPA says', rule: 'troupe.no_wiping' })(
        response,
      ),
    );
    const safety = policy({ rules: [opa({ url, path })] });
    const made: string[] = [];
    const callerOf = (name: string) =>
      agent({
        name: 'clerk',
        tools: [
          tool({
            name,
            description: 'Does it.',
            safety: 'write',
            input: z.object({}),
            execute: () => made.push(name),
          }),
        ],
        decide: ({ step, results }): Decision =>
          step === 0
            ? { kind: 'act', calls: [{ name, input: {} }] }
            : { kind: 'answer', answer: results[0]?.text ?? '' },
      });
    await callerOf('save').run('go', { safety });
    const denied = await callerOf('wipe').run('go', { safety });
    expect(made).toEqual(['save']);
    expect(denied.events.find(({ type }) => type === 'tool.denied')).toMatchObject({
      reason: 'as OPA says',
      rule: 'troupe.no_wiping',
    });
  });
});
