import { createAnthropic } from '@ai-sdk/anthropic';
import { createGroq } from '@ai-sdk/groq';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { RecordedStream } from '../support/provider-streams.ts';

/** The genuine model of the AI SDK that reads a recorded stream, talking to a server on loopback. */
export const genuineModel = (
  { kind, file }: Pick<RecordedStream, 'kind' | 'file'>,
  url: string,
): LanguageModelV3 => {
  const to = { apiKey: 'sk-mock', baseURL: `${url}/v1` };
  if (kind === 'anthropic') return createAnthropic(to)('mock-model');
  if (kind === 'openai-responses') return createOpenAI(to).responses('mock-model');
  if (file.startsWith('mistral')) return createMistral(to)('mock-model');
  if (file.startsWith('groq')) return createGroq(to)('mock-model');
  return createOpenAI(to).chat('mock-model');
};
