import { createAnthropic } from '@ai-sdk/anthropic';
import { createGroq } from '@ai-sdk/groq';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { createAnthropic as createAnthropicV2 } from 'ai-sdk-v2-anthropic';
import { createGroq as createGroqV2 } from 'ai-sdk-v2-groq';
import { createMistral as createMistralV2 } from 'ai-sdk-v2-mistral';
import { createOpenAI as createOpenAIV2 } from 'ai-sdk-v2-openai';
import { createAnthropic as createAnthropicV4 } from 'ai-sdk-v4-anthropic';
import { createGroq as createGroqV4 } from 'ai-sdk-v4-groq';
import { createMistral as createMistralV4 } from 'ai-sdk-v4-mistral';
import { createOpenAI as createOpenAIV4 } from 'ai-sdk-v4-openai';
import type { AiSdkLanguageModel } from '../../src/models/ai-sdk/language-model.ts';
import type { RecordedStream } from '../support/provider-streams.ts';

export const specificationVersions = ['v2', 'v3', 'v4'] as const;

export type SpecificationVersion = (typeof specificationVersions)[number];

type Make = (options: { apiKey: string; baseURL: string }, model: string) => AiSdkLanguageModel;

/** The makers of models by vendor and API. */
interface Makers {
  readonly anthropic: Make;
  readonly openai: Make;
  readonly chat: Make;
  readonly mistral: Make;
  readonly groq: Make;
}

/** The genuine packages of the AI SDK, by the version of the specification that their models have. */
export const genuinePackages: Readonly<Record<SpecificationVersion, Makers>> = {
  v2: {
    anthropic: (to, model) => createAnthropicV2(to)(model),
    openai: (to, model) => createOpenAIV2(to).responses(model),
    chat: (to, model) => createOpenAIV2(to).chat(model),
    mistral: (to, model) => createMistralV2(to)(model),
    groq: (to, model) => createGroqV2(to)(model),
  },
  v3: {
    anthropic: (to, model) => createAnthropic(to)(model),
    openai: (to, model) => createOpenAI(to).responses(model),
    chat: (to, model) => createOpenAI(to).chat(model),
    mistral: (to, model) => createMistral(to)(model),
    groq: (to, model) => createGroq(to)(model),
  },
  v4: {
    anthropic: (to, model) => createAnthropicV4(to)(model),
    openai: (to, model) => createOpenAIV4(to).responses(model),
    chat: (to, model) => createOpenAIV4(to).chat(model),
    mistral: (to, model) => createMistralV4(to)(model),
    groq: (to, model) => createGroqV4(to)(model),
  },
};

const vendorOf = ({ kind, file }: Pick<RecordedStream, 'kind' | 'file'>): keyof Makers => {
  if (kind === 'anthropic') return 'anthropic';
  if (kind === 'openai-responses') return 'openai';
  if (file.startsWith('mistral')) return 'mistral';
  return file.startsWith('groq') ? 'groq' : 'chat';
};

/** The genuine model of the AI SDK that reads a recorded stream, talking to a server on loopback. */
export const genuineModel = (
  recorded: Pick<RecordedStream, 'kind' | 'file'>,
  url: string,
  version: SpecificationVersion,
): AiSdkLanguageModel =>
  genuinePackages[version][vendorOf(recorded)]({ apiKey: 'sk-mock', baseURL: `${url}/v1` }, 'mock-model');

/**
 * Streams that the package itself does not read, of which it leaves out the reasoning (`@ai-sdk/openai` knows no `reasoning_content`), or
 * of which it counts the compaction's tokens, which our own adapter does not.
 */
const READ_OTHERWISE =
  /anthropic-compaction|alibaba-reasoning|deepseek-reasoning|xai-text|github-copilot-id|openai-reasoning-enc|xai-web-search/;

/** What is younger than the package of version 2: calls by a program, a search for tools. */
const AFTER_V2 = /anthropic-programmatic|anthropic-tool-search/;

/** Whether the packages of a version read a recorded answer as our own adapters do. */
export const readableBy =
  (version: SpecificationVersion) =>
  ({ file }: Pick<RecordedStream, 'file'>): boolean =>
    !READ_OTHERWISE.test(file) && (version !== 'v2' || !AFTER_V2.test(file));
