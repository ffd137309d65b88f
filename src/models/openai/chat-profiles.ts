import type { ContentSupport } from '../../contracts/content/content-support.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { ChatProfile } from './chat-profile.ts';

/** Keywords outside the OpenAPI subset of Google's function declarations: one of them fails the whole request. */
const GOOGLE_REFUSES = [
  '$ref',
  '$defs',
  'const',
  'oneOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'uniqueItems',
  'contentEncoding',
  'contentMediaType',
  'examples',
];

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const SOUND = ['audio/wav', 'audio/mpeg'];

/** Models whose batches cost half at Together; "Models not listed run at standard rates" (docs.together.ai/docs/inference/batch/overview). */
const TOGETHER_HALVES: ReadonlySet<string> = new Set([
  'meta-llama/Llama-3.3-70B-Instruct-Turbo',
  'meta-llama/Llama-3-70b-chat-hf',
  'Qwen/Qwen2.5-7B-Instruct-Turbo',
  'mistralai/Mixtral-8x7B-Instruct-v0.1',
  'zai-org/GLM-4.5-Air-FP8',
]);

/** Images, also as links. */
const SEES: ContentSupport = { media: IMAGES, links: ['image/*'] };

/**
 * The profiles of known servers, by name. `docs/providers.md` gives the source of each.
 *
 * @example
 * chatProfiles.mistral.callIdLength // => 9
 */
export const chatProfiles = {
  mistral: {
    name: 'mistral',
    takes: SEES,
    baseURL: 'https://api.mistral.ai/v1',
    hosts: ['api.mistral.ai', 'codestral.mistral.ai'],
    keyVariable: 'MISTRAL_API_KEY',
    callIdLength: 9,
    refuses: ['stream_options', 'reasoning_effort', 'service_tier'],
    renames: { max_completion_tokens: 'max_tokens', seed: 'random_seed' },
    requiredWord: 'any',
    outputWithTools: 'words',
    takesUserAfterTool: false,
    echoes: ['content'],
    errorCodes: { '1500': 'model.not-found', invalid_model: 'model.not-found' },
    batches: { path: '/batch/jobs', form: 'jobs', bareLines: true },
  },
  gemini: {
    name: 'gemini',
    takes: { media: [...IMAGES, ...SOUND] },
    baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai',
    hosts: ['generativelanguage.googleapis.com', '-aiplatform.googleapis.com', 'aiplatform.googleapis.com'],
    keyVariable: 'GEMINI_API_KEY',
    refuses: ['frequency_penalty', 'presence_penalty', 'seed'],
    outputWithTools: 'words',
    refusedKeywords: GOOGLE_REFUSES,
    // Google's own placeholder for a call that none of its models has signed.
    foreignCallFields: {
      extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } },
    },
  },
  groq: {
    name: 'groq',
    takes: SEES,
    baseURL: 'https://api.groq.com/openai/v1',
    hosts: ['api.groq.com'],
    keyVariable: 'GROQ_API_KEY',
    // Neither a schema nor JSON of any kind goes together with streaming or with tools.
    output: 'words',
    echoes: 'none',
    batches: { mostBytes: 100_000_000 },
  },
  deepseek: {
    name: 'deepseek',
    takes: { media: [] },
    baseURL: 'https://api.deepseek.com',
    hosts: ['api.deepseek.com'],
    keyVariable: 'DEEPSEEK_API_KEY',
    output: 'json_object',
    outputWithTools: 'words',
    // A thinking model refuses calls without the thoughts before them, no matter which model made the calls.
    foreignFields: { reasoning_content: '' },
    finishWords: { insufficient_system_resource: 'model.unavailable' },
  },
  xai: {
    name: 'xai',
    takes: { media: ['image/png', 'image/jpeg'], links: ['image/*'] },
    baseURL: 'https://api.x.ai/v1',
    hosts: ['api.x.ai'],
    keyVariable: 'XAI_API_KEY',
    bill: 'xai',
    refuses: (model: string) => [
      'presence_penalty',
      'frequency_penalty',
      ...(/grok-(3-mini|[4-9]|code)/.test(model) ? ['stop'] : []),
      ...(/grok-(3-mini|4\.3|4\.20-multi)/.test(model) ? [] : ['reasoning_effort']),
    ],
  },
  openrouter: {
    name: 'openrouter',
    accepts: ['top_k'],
    baseURL: 'https://openrouter.ai/api/v1',
    hosts: ['openrouter.ai'],
    keyVariable: 'OPENROUTER_API_KEY',
    bill: 'openrouter',
  },
  together: {
    name: 'together',
    accepts: ['top_k'],
    takes: SEES,
    baseURL: 'https://api.together.xyz/v1',
    hosts: ['api.together.xyz', 'api.together.ai'],
    keyVariable: 'TOGETHER_API_KEY',
    outputWithTools: 'words',
    finishWords: { eos: 'stop' },
    batches: {
      uploads: '/files/upload',
      purpose: 'batch-api',
      bareLines: true,
      marks: false,
      mostBytes: 100_000_000,
      priceShare: (model: string) => (TOGETHER_HALVES.has(model) ? 0.5 : 1),
    },
  },
  fireworks: {
    name: 'fireworks',
    accepts: ['top_k'],
    takes: SEES,
    baseURL: 'https://api.fireworks.ai/inference/v1',
    hosts: ['api.fireworks.ai'],
    keyVariable: 'FIREWORKS_API_KEY',
    outputWithTools: 'words',
    refusedKeywords: ['oneOf'],
  },
  snowflake: {
    name: 'snowflake',
    takes: SEES,
    hosts: ['.snowflakecomputing.com'],
    keyVariable: 'SNOWFLAKE_TOKEN',
    renames: { max_tokens: 'max_completion_tokens' },
    outputWithTools: 'words',
  },
  ollama: {
    name: 'ollama',
    takes: { media: IMAGES },
    baseURL: 'http://localhost:11434/v1',
    hosts: [':11434'],
    refuses: ['parallel_tool_calls', 'service_tier'],
    forcesByName: false,
    // The schema constrains every token: with tools the model could never make a call.
    outputWithTools: 'words',
  },
  lmstudio: {
    name: 'lmstudio',
    accepts: ['top_k'],
    takes: { media: IMAGES },
    baseURL: 'http://localhost:1234/v1',
    hosts: [':1234'],
    forcesByName: false,
    outputWithTools: 'words',
  },
  vllm: {
    name: 'vllm',
    accepts: ['top_k'],
    takes: { media: [...IMAGES, ...SOUND], links: ['image/*'] },
    baseURL: 'http://localhost:8000/v1',
    outputWithTools: 'words',
  },
  llamacpp: {
    name: 'llamacpp',
    accepts: ['top_k'],
    takes: { media: [...IMAGES, ...SOUND] },
    baseURL: 'http://localhost:8080/v1',
    forcesByName: false,
    outputWithTools: 'words',
  },
} as const satisfies Readonly<Record<string, ChatProfile>>;

/** A profile that is known by its name. */
export type ChatProfileName = keyof typeof chatProfiles;

/** The profile of an unknown server: OpenAI's behaviour. */
const COMPATIBLE: ChatProfile = { name: 'compatible' };

/**
 * Returns the profile of a name; a custom one is that itself.
 *
 * @throws {TroupeError} `model.unknown` for an unknown name.
 */
export const profileNamed = (choice: ChatProfileName | ChatProfile): ChatProfile => {
  if (typeof choice !== 'string') return choice;
  const found = Object.hasOwn(chatProfiles, choice) ? chatProfiles[choice] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(chatProfiles).join(', ');
  throw new TroupeError(
    'model.unknown',
    `Cannot use the chat profile '${choice}' as there is none of that name: choose one of ${known}`,
  );
};

/**
 * Returns the profile of the server at an address; OpenAI's behaviour for an unknown one.
 *
 * @example
 * profileAt('https://api.mistral.ai/v1').name // => 'mistral'
 */
export const profileAt = (baseURL: string | undefined): ChatProfile => {
  if (baseURL === undefined || !URL.canParse(baseURL)) return COMPATIBLE;
  const { hostname, port } = new URL(baseURL);
  const isAt = (host: string): boolean =>
    host.startsWith(':')
      ? `:${port}` === host
      : /^[.-]/.test(host)
        ? hostname.endsWith(host)
        : hostname === host;
  return Object.values<ChatProfile>(chatProfiles).find(({ hosts }) => hosts?.some(isAt)) ?? COMPATIBLE;
};
