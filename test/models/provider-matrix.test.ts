import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Model } from '../../src/contracts/models/model.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { chatProfiles, type ChatProfileName } from '../../src/models/openai/chat-profiles.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { fixtures } from '../support/fixtures.ts';
import type { MatrixRow } from '../support/matrix-row.ts';
import { event, type Reply } from '../support/mock-provider.ts';
import { matrixOfPage, matrixRowOf, THOUGHT } from '../support/provider-matrix.ts';
import { recordedStreams, type WireKind } from '../support/provider-streams.ts';
import { comparable } from '../support/recorded-cells.ts';
import { strictServers } from '../support/strict-servers.ts';
import { says } from '../support/wire-answers.ts';

const apiKey = 'sk-mock';

const rowOf = (
  name: string,
  kind: WireKind,
  make: (baseURL: string) => Model,
  more: Partial<MatrixRow> = {},
): MatrixRow => ({ name, make, says: (answer) => says(kind, answer), ...more });

const names = Object.keys(chatProfiles) as ChatProfileName[];

/** What the strict server of a profile thinks beside its call, where it does, and what proves it. */
const PROOFS: Partial<Record<ChatProfileName, string>> = {
  mistral: '"thinking"',
  gemini: '"thought_signature":"sig-0"',
  groq: 'Hm.',
  deepseek: '"reasoning_content":"Hm."',
  openrouter: '"signature":"sealed"',
};

const thinksAs = (profile: ChatProfileName): Reply => ({
  pieces: [...strictServers[profile].call(0, 'Bonn').map((each) => event(each)), 'data: [DONE]\n\n'],
});

const chatRow = (profile: ChatProfileName): MatrixRow => {
  const proof = PROOFS[profile];
  return rowOf(
    profile,
    'openai-chat',
    (url) => openaiChat('a-model', { apiKey, baseURL: `${url}/v1`, profile }),
    {
      ...(proof === undefined ? { proof: THOUGHT } : { proof, thinks: thinksAs(profile) }),
      runs: [{ type: 'browser_search' }, '{"type":"browser_search"}'],
    },
  );
};

const rows: readonly MatrixRow[] = [
  rowOf('openai()', 'openai-responses', (baseURL) => openai('gpt-5.5', { apiKey, baseURL }), {
    proof: '"encrypted_content":"sealed+/="',
    runs: [{ type: 'web_search' }, '{"type":"web_search"}'],
  }),
  rowOf('anthropic()', 'anthropic', (baseURL) => anthropic('claude-sonnet-5-5', { apiKey, baseURL }), {
    proof: '"signature":"sealed+/="',
    runs: [{ type: 'web_search_20250305', name: 'web_search' }, '"type":"web_search_20250305"'],
  }),
  rowOf('openaiChat()', 'openai-chat', (url) => openaiChat('a-model', { apiKey, baseURL: `${url}/v1` }), {
    runs: [{ type: 'browser_search' }, '{"type":"browser_search"}'],
  }),
  ...names.map(chatRow),
];

test.each(rows)(
  'each cell of the matrix in the documentation is what a run with $name comes to',
  async (row) => {
    expect(comparable(await matrixRowOf(row))).toEqual(comparable(matrixOfPage().get(row.name)));
  },
);

test('the matrix has a row for each provider and each profile, and those of the AI SDK', () => {
  const ofAiSdk = [...matrixOfPage().keys()].filter((name) => name.startsWith('aiSdk('));
  expect([...matrixOfPage().keys()]).toEqual([...rows.map(({ name }) => name), ...ofAiSdk]);
  expect(ofAiSdk).toEqual(
    ['openai', 'anthropic', 'google', 'mistral', 'groq'].map((name) => `aiSdk(${name})`),
  );
});

const page = readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8');

/** The names in the last column of the profiles' table, by profile. */
const recordedOf = (profile: ChatProfileName): readonly string[] => {
  const [row = ''] = new RegExp(`^\\| \`${profile}\` +\\|.*$`, 'm').exec(page) ?? [];
  const [chat = ''] = (row.split('|').at(-2) ?? '').split('of Responses');
  return [...chat.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
};

const kept = readdirSync(new URL('../fixtures/recorded', import.meta.url))
  .filter((file) => /\.(jsonl|body)$/.test(file))
  .map((file) => file.replace(/\.[a-z]+$/, ''));

test.each(names)(
  'the recorded answers of %s that are kept with the tests are named in its row',
  (profile) => {
    const ofFixtures = recordedOf(profile).filter((name) => !kept.includes(name));
    expect(
      recordedOf(profile)
        .filter((name) => kept.includes(name))
        .toSorted(),
    ).toEqual(kept.filter((name) => name.startsWith(`${profile}-`)).toSorted());
    const files = existsSync(fixtures('provider-streams'))
      ? recordedStreams().map(({ file }) => file)
      : undefined;
    for (const name of ofFixtures)
      expect(
        files?.some((file) => file.startsWith(`${profile}/`) && file.includes(`/${name}.`)) ?? true,
      ).toBe(true);
  },
);
