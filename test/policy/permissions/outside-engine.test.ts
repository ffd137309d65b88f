import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, tool, type Decision, type SafetyStrategy } from '../../../src/index.ts';
import { policy } from '../../../src/policy/index.ts';

/** What a server of Open Policy Agent is asked by `POST /v1/data/PATH`, and answers: as its REST API has it. */
const questions: unknown[] = [];
const opa = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    const { input } = z.object({ input: z.record(z.string(), z.unknown()) }).parse(JSON.parse(text));
    questions.push(input);
    if (request.url !== '/v1/data/troupe/verdict') return response.writeHead(500).end('{}');
    response.setHeader('content-type', 'application/json');
    // An undefined decision is an answer without a result.
    if (input['tool'] === 'unheard-of') return response.end('{}');
    const isDenied = input['tool'] === 'wipe';
    const verdict = isDenied
      ? { verdict: 'deny', reason: 'as OPA says', rule: 'troupe.no_wiping' }
      : { verdict: 'allow' };
    return response.end(JSON.stringify({ result: verdict }));
  });
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => opa.listen(0, '127.0.0.1', resolve));
  // It listens on a port.
  url = `http://127.0.0.1:${(opa.address() as AddressInfo).port}`;
});
afterAll(() => {
  opa.closeAllConnections();
  opa.close();
});

/** The rule of the guide, at an address. */
const opaAt = (base: string) =>
  policy({
    rules: [
      async function openPolicyAgent({ tool: name, agent: caller, path, input, facts, signal }) {
        const response = await fetch(`${base}/v1/data/troupe/verdict`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ input: { tool: name, agent: caller, path, input, safety: facts.safety } }),
          signal,
        });
        if (!response.ok) throw new Error(`OPA answered ${response.status}`);
        // What is no verdict denies the call.
        const { result } = (await response.json()) as { result?: Awaited<ReturnType<SafetyStrategy>> };
        return result ?? { verdict: 'deny', reason: 'OPA has no rule for it' };
      },
    ],
  });

const calling = (name: string) => {
  const made: string[] = [];
  const does = tool({
    name,
    description: 'Does it.',
    safety: 'write',
    input: z.object({}),
    execute: () => made.push(name),
  });
  const clerk = agent({
    name: 'clerk',
    tools: [does],
    decide: ({ step, results }): Decision =>
      step === 0
        ? { kind: 'act', calls: [{ name, input: {} }] }
        : { kind: 'answer', answer: results[0]?.text ?? '' },
  });
  return { made, clerk };
};

test('[KAIZEN-62] an engine outside decides, with the rule that it names on record', async () => {
  const [save, wipe, other] = [calling('save'), calling('wipe'), calling('unheard-of')];
  const safety = opaAt(url);
  await save.clerk.run('go', { safety });
  const denied = await wipe.clerk.run('go', { safety });
  const unknown = await other.clerk.run('go', { safety });
  expect([save.made, wipe.made, other.made]).toEqual([['save'], [], []]);
  expect(questions[0]).toEqual({ tool: 'save', agent: 'clerk', path: 'clerk', input: {}, safety: 'write' });
  expect(denied.events.find(({ type }) => type === 'tool.denied')).toMatchObject({
    reason: 'as OPA says',
    rule: 'troupe.no_wiping',
  });
  expect(unknown.output).toContain('OPA has no rule for it');
});

test('[KAIZEN-62] an engine outside that cannot be reached denies', async () => {
  const { made, clerk } = calling('save');
  const { output } = await clerk.run('go', { safety: opaAt(`${url}/elsewhere`) });
  expect(output).toContain("the rule 'openPolicyAgent' failed: OPA answered 500");
  expect(made).toEqual([]);
});
