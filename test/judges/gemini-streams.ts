import type { FinishReason } from '../../src/contracts/models/model.ts';

/**
 * Streams of `models.streamGenerateContent` in Gemini's own form, one chunk an event, as public recordings and documentation have it:
 * ai.google.dev/gemini-api/docs/thought-signatures, /function-calling, /image-generation and /code-execution, and the fixtures of
 * vercel/ai (Apache-2.0), `packages/google/src/__fixtures__`, each named below. Texts and signatures are made up and short.
 */
export interface GeminiStream {
  readonly what: string;
  readonly chunks: readonly object[];
  /** Of the answer. */
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly { readonly name: string; readonly input: object }[];
  readonly providerCalls?: readonly object[];
  readonly media?: readonly object[];
  readonly finish: FinishReason;
  /** What goes back of it: the parts of the turn `model` in the next request. */
  readonly back: readonly object[];
}

/** Base64 with all that a careless hand would change: `+`, `/` and `=`. */
export const SIGNATURE = 'EpcCCpQCARFNMg9G+VP/YGO3zJobw==';
const OTHER_SIGNATURE = 'EqsGCqgGAR+NMg/oroYnrVkdoRE9Aa==';
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const usageMetadata = {
  promptTokenCount: 29,
  cachedContentTokenCount: 20,
  candidatesTokenCount: 15,
  thoughtsTokenCount: 804,
  totalTokenCount: 848,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 29 }],
};

export const USAGE = { input: 29, output: 819, cached: 20, reasoning: 804 };

const chunk = (parts: readonly object[], finishReason?: string, more: object = {}): object => ({
  candidates: [
    {
      content: { parts, role: 'model' },
      ...(finishReason === undefined ? {} : { finishReason }),
      index: 0,
      ...more,
    },
  ],
  usageMetadata,
  modelVersion: 'gemini-3-pro-preview',
  responseId: 'vQRpaqzAPN2M9MoPxPq2uQ4',
});

const stop = chunk([{ text: '' }], 'STOP');

const call = (city: string, id?: string): object => ({
  name: 'weather',
  args: { city },
  ...(id === undefined ? {} : { id }),
});

const bonn = { name: 'weather', input: { city: 'Bonn' } };
const cologne = { name: 'weather', input: { city: 'Köln' } };

export const geminiStreams: readonly GeminiStream[] = [
  {
    what: 'words, signed by an empty part at their end (issue-18073-empty-text-thought-signature)',
    chunks: [
      chunk([{ text: 'Rain, ' }]),
      chunk([{ text: 'of course.' }]),
      chunk([{ text: '', thoughtSignature: SIGNATURE }], 'STOP'),
    ],
    text: 'Rain, of course.',
    finish: 'stop',
    back: [{ text: 'Rain, of course.', thoughtSignature: SIGNATURE }],
  },
  {
    what: 'words, and a signed call with an id (issue-10781.1)',
    chunks: [
      chunk([{ text: 'Let me check.' }]),
      chunk([{ functionCall: call('Bonn', 'g1bmv6il'), thoughtSignature: SIGNATURE }]),
      stop,
    ],
    text: 'Let me check.',
    calls: [bonn],
    finish: 'tool-calls',
    back: [
      { text: 'Let me check.' },
      { functionCall: call('Bonn', 'g1bmv6il'), thoughtSignature: SIGNATURE },
    ],
  },
  {
    what: 'two calls at once, of which the first is signed (issue-16298-gemini3-parallel-tool-calls)',
    chunks: [
      chunk([
        { functionCall: call('Bonn', 'lpndqlku'), thoughtSignature: SIGNATURE },
        { functionCall: call('Köln', 'm6rogicj') },
      ]),
      stop,
    ],
    calls: [bonn, cologne],
    finish: 'tool-calls',
    back: [
      { functionCall: call('Bonn', 'lpndqlku'), thoughtSignature: SIGNATURE },
      { functionCall: call('Köln', 'm6rogicj') },
    ],
  },
  {
    what: 'thoughts in two pieces, and a signed call (google-reasoning, google-tool-call-gemini3)',
    chunks: [
      chunk([{ text: 'I need ', thought: true }]),
      chunk([{ text: 'the weather.', thought: true }]),
      chunk([{ functionCall: call('Bonn', 'a'), thoughtSignature: SIGNATURE }]),
      stop,
    ],
    reasoning: 'I need the weather.',
    calls: [bonn],
    finish: 'tool-calls',
    back: [
      { text: 'I need the weather.', thought: true },
      { functionCall: call('Bonn', 'a'), thoughtSignature: SIGNATURE },
    ],
  },
  {
    what: 'a signed call whose arguments are streamed (google-stream-tool-call-arguments)',
    chunks: [
      chunk([
        { functionCall: { name: 'weather', id: 'a', willContinue: true }, thoughtSignature: SIGNATURE },
      ]),
      ...['Bo', 'nn'].map((stringValue) =>
        chunk([
          {
            functionCall: {
              partialArgs: [{ jsonPath: '$.city', stringValue, willContinue: true }],
              willContinue: true,
            },
          },
        ]),
      ),
      chunk([
        { functionCall: { partialArgs: [{ jsonPath: '$.city', stringValue: '' }], willContinue: true } },
      ]),
      chunk([{ functionCall: {} }], 'STOP'),
    ],
    calls: [bonn],
    finish: 'tool-calls',
    back: [{ functionCall: call('Bonn', 'a'), thoughtSignature: SIGNATURE }],
  },
  {
    what: 'a picture between words, each signed, after one in thought (issue-10660-image-thought-signature)',
    chunks: [
      chunk([{ inlineData: { mimeType: 'image/png', data: PIXEL }, thought: true }]),
      chunk([{ text: 'Here: ', thoughtSignature: OTHER_SIGNATURE }]),
      chunk([{ inlineData: { mimeType: 'image/png', data: PIXEL }, thoughtSignature: SIGNATURE }]),
      stop,
    ],
    text: 'Here: ',
    media: [{ type: 'image', mediaType: 'image/png', data: PIXEL }],
    finish: 'stop',
    back: [
      { inlineData: { mimeType: 'image/png', data: PIXEL }, thought: true },
      { text: 'Here: ', thoughtSignature: OTHER_SIGNATURE },
      { inlineData: { mimeType: 'image/png', data: PIXEL }, thoughtSignature: SIGNATURE },
    ],
  },
  {
    what: 'a picture alone (docs/image-generation)',
    chunks: [
      chunk([{ inlineData: { mimeType: 'image/png', data: PIXEL }, thoughtSignature: SIGNATURE }]),
      stop,
    ],
    media: [{ type: 'image', mediaType: 'image/png', data: PIXEL }],
    finish: 'stop',
    back: [{ inlineData: { mimeType: 'image/png', data: PIXEL }, thoughtSignature: SIGNATURE }],
  },
  {
    what: 'code that Google ran, which its package cannot give back (google-code-execution-multiple-results)',
    chunks: [
      chunk([{ executableCode: { language: 'PYTHON', code: 'print(6 * 7)' } }]),
      chunk([{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42\n' } }]),
      chunk([{ text: 'It is 42.' }], 'STOP'),
    ],
    text: 'It is 42.',
    providerCalls: [{ tool: 'code_execution', input: { language: 'PYTHON', code: 'print(6 * 7)' } }],
    finish: 'stop',
    back: [{ text: 'It is 42.' }],
  },
  {
    what: 'words after a search (issue-19822-google-search-live, docs/google-search)',
    chunks: [
      chunk([{ text: 'It is Wednesday.' }], 'STOP', {
        groundingMetadata: {
          webSearchQueries: ['current date'],
          groundingChunks: [{ web: { uri: 'https://example.com/date', title: 'Date' } }],
        },
      }),
    ],
    text: 'It is Wednesday.',
    providerCalls: [{ tool: 'google_search', input: ['current date'] }],
    finish: 'stop',
    back: [{ text: 'It is Wednesday.' }],
  },
];
