import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { OPAClient } from '@open-policy-agent/opa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ProposedCall } from '../../../src/contracts/tools/safety.ts';
import { agent, tool } from '../../../src/index.ts';
import { opa, policy } from '../../../src/policy/index.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { proposed } from '../../policy/permissions/proposed-call.ts';

/** A question that was passed on to the engine. */
interface Question {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly type: string | undefined;
  readonly body: unknown;
}

const questions: Question[] = [];
const closing: (() => unknown)[] = [];
let url = '';

const PATH = 'troupe/verdict';

/** Starts the engine in a process of its own, and in front of it a server that notes what it is asked. */
beforeAll(async () => {
  const [program, rules] = ['opa-server.ts', 'verdict.rego'].map((name) => join(import.meta.dirname, name));
  const engine = spawn(process.execPath, ['--import', 'tsx', program ?? '', rules ?? ''], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closing.push(() => engine.kill());
  const [said] = z.tuple([z.instanceof(Buffer)]).parse(await once(engine.stdout, 'data'));
  const place = `http://127.0.0.1:${Number(said.toString())}`;
  const pass = async (request: IncomingMessage): Promise<Response> => {
    const body = await text(request);
    const { method, url: path, headers } = request;
    questions.push({ method, url: path, type: headers['content-type'], body: JSON.parse(body) });
    return fetch(`${place}${path}`, { method: method ?? '', body });
  };
  const server = createServer((request, response) => {
    void pass(request).then(async (answer) => {
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  // It listens on a port.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, 120_000);
afterAll(() => {
  for (const close of closing) close();
});

/** The adapter, with time for an engine that shares the cores with other tests. */
const ruleOf = () => opa({ url, path: PATH, also: () => ({ tenant: 'acme' }), timeoutMs: 60_000 });

const byOpa = (call: ProposedCall) => ruleOf()(call);

const pay = (euros: number, more: Parameters<typeof proposed>[0] = {}) =>
  proposed({ tool: 'pay', input: { euros }, ...more });

/** A call, OPA's decision as its own client reads it, and the verdict here. */
type Decided = readonly [call: string, ProposedCall, decision: unknown, verdict: object];

const named = { rule: `opa ${PATH}` };
const large = { verdict: 'ask', by: 'lead', rule: 'large-payments', reason: '4000 euros of acme' };
const late = { verdict: 'deny', rule: 'after-the-web', reason: 'clerk wrote after it had read the web' };
const without = (words: string) => ({ ...named, verdict: 'deny', reason: expect.stringContaining(words) });

const decided: readonly Decided[] = [
  ['reads', proposed({ safety: 'read' }), true, { ...named, verdict: 'allow' }],
  ['pays little', pay(40), true, { ...named, verdict: 'allow' }],
  ['pays much', pay(4_000), large, large],
  ['pays after it has read the web', pay(40, { origins: ['read_page'] }), late, late],
  ['wipes', proposed({ tool: 'wipe' }), false, { ...named, verdict: 'deny', reason: 'OPA denies it' }],
  [
    'is of an agent that the policy does not know',
    pay(40, { agent: 'stranger' }),
    'no decision',
    without('its decision is undefined'),
  ],
  ['is allowed and denied at once', proposed({ tool: 'torn' }), 'no decision', without('it answered 500')],
];

describe("[KAIZEN-62] OPA's own engine", () => {
  test.each(decided)('decides of a call that %s by a policy in Rego', async (_, call, __, verdict) => {
    expect(await byOpa(call)).toEqual(verdict);
  });

  test.each(decided)("is asked of a call that %s as OPA's own client asks it", async (_, call, decision) => {
    questions.length = 0;
    await byOpa(call);
    const { input } = z.object({ input: z.record(z.string(), z.json()) }).parse(questions[0]?.body);
    const theirs = await new OPAClient(url).evaluate(PATH, input).catch(() => undefined);
    expect(theirs ?? 'no decision').toEqual(decision);
    expect(questions).toHaveLength(2);
    expect(questions[0]).toEqual(questions[1]);
    expect(questions[0]).toMatchObject({ method: 'POST', url: `/v1/data/${PATH}`, type: 'application/json' });
  });

  test('decides in a run: small payments are made, large ones wait for a lead', async () => {
    const paid: number[] = [];
    const payment = tool({
      name: 'pay',
      description: 'Pays.',
      safety: 'write',
      input: z.object({ euros: z.number() }),
      execute: ({ euros }) => {
        paid.push(euros);
        return `paid ${euros}`;
      },
    });
    const model = scriptedModel([
      calls({ name: 'pay', input: { euros: 40 } }, { name: 'pay', input: { euros: 4_000 } }),
      'Done.',
    ]);
    const asked: string[] = [];
    const clerk = agent({ name: 'clerk', model, tools: [payment] });
    const { events } = await clerk.run('Pay the bills.', {
      safety: policy({ rules: [ruleOf()] }),
      person: {
        by: { name: 'ann', roles: ['lead'] },
        approve: ({ rule, reason }) => {
          asked.push(`${rule}: ${reason}`);
          return false;
        },
      },
    });
    expect(paid).toEqual([40]);
    expect(asked).toEqual(['large-payments: 4000 euros of acme']);
    expect(events.some((event) => event.type === 'tool.denied')).toBe(true);
  });
});
