import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Model } from '../../src/contracts/models/model.ts';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { mockProvider } from '../support/mock-provider.ts';
import type { WireKind } from '../support/provider-streams.ts';
import { says } from '../support/wire-answers.ts';
import { genuinePackages } from './ai-sdk-models.ts';

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
});

const answers = [
  {
    text: ['Let me ', 'look.'],
    calls: [
      { name: 'weather', arguments: '{"city":"Aachen"}' },
      { name: 'weather', arguments: '{"city":"Bonn"}' },
    ],
  },
  { text: ['{"aachen":"rain",', '"bonn":"rain"}'] },
];

/** The log of a run that a model of that provider answers, without times, the provider's name, and what is only for it. */
const logOf = async (kind: WireKind, modelAt: (url: string) => Model): Promise<unknown> => {
  await using provider = await mockProvider(
    ...answers.map((answer) => says(kind, { ...answer, model: 'it' })),
  );
  const clerk = agent({
    name: 'clerk',
    instructions: 'Tell the weather.',
    tools: [weather],
    output: z.object({ aachen: z.string(), bonn: z.string() }),
    model: modelAt(provider.url),
  });
  const { events, transcript, output } = await clerk.run('Aachen and Bonn?', { runId: 'run-1' });
  expect(output).toEqual({ aachen: 'rain', bonn: 'rain' });
  const text = JSON.stringify({ events, transcript }, (key, value: unknown) =>
    OF_PROVIDER.has(key) || (COUNTS.has(key) && value === 0) ? undefined : TIMES.has(key) ? 0 : value,
  );
  return JSON.parse(
    text
      .replaceAll(/openai:gpt-5|anthropic:claude-sonnet-4-5/g, 'vendor:it')
      .replaceAll(/openai|anthropic/g, 'vendor')
      .replaceAll(/gpt-5|claude-sonnet-4-5/g, 'it'),
  );
};

const TIMES: ReadonlySet<string> = new Set(['at', 'startedAt', 'endedAt', 'durationMs']);

/** The packages of the AI SDK count what was not counted as 0. */
const COUNTS: ReadonlySet<string> = new Set(['cached', 'cacheWritten', 'reasoning']);

/** Its ids, its prices, and what it gets back unread. */
const OF_PROVIDER: ReadonlySet<string> = new Set(['origin', 'replay', 'metadata', 'costUsd', 'unpriced']);

/** A model that the package knows to answer by a schema: for others it asks by a tool, and drops what is said beside calls. */
const CLAUDE = 'claude-sonnet-4-5';
const apiKey = 'sk-mock';

/** That of version 2 of Anthropic asks for an output by a tool. */
const genuine = [genuinePackages.v3, genuinePackages.v4];

type Asked = readonly [kind: WireKind, modelAt: (url: string) => Model];

const models: readonly Asked[] = [
  ['openai-responses', (url) => openai('gpt-5', { apiKey, baseURL: `${url}/v1` })],
  ...genuine.map((vendors): Asked => [
    'openai-responses',
    (url) => aiSdk(vendors.openai({ apiKey, baseURL: `${url}/v1` }, 'gpt-5')),
  ]),
  ['anthropic', (url) => anthropic(CLAUDE, { apiKey, baseURL: url })],
  ...genuine.map((vendors): Asked => [
    'anthropic',
    (url) => aiSdk(vendors.anthropic({ apiKey, baseURL: `${url}/v1` }, CLAUDE)),
  ]),
];

it('the same agent has the same log with each model: of OpenAI and of Anthropic, by us and by the AI SDK of version 3 and 4', async () => {
  const [first, ...others] = await Promise.all(models.map(([kind, modelAt]) => logOf(kind, modelAt)));
  for (const log of others) expect(log).toEqual(first);
});
