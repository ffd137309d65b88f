import type { ContentSupport } from '../../contracts/content/content-support.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { aBoolean, byName, fulfilling, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Model } from '../../contracts/models/model.ts';
import { requestIn } from '../../contracts/tools/provider-approval.ts';
import { type OpenedStream, readAnswer } from '../wire/provider-stream.ts';
import { modelShape } from '../wire/provider-shape.ts';
import { readerContext } from '../wire/reader-context.ts';
import { othersOptions } from '../wire/others-options.ts';
import { toolsRunBy } from '../wire/provider-tools.ts';
import { withOmitted } from '../wire/sent-settings.ts';
import type { AiSdkLanguageModel, AiSdkStream, VendorOptions } from './language-model.ts';
import { versionProblem } from './check-version.ts';
import { joinOptions, TAKES, vendorOf } from './vendors.ts';

/** Options of {@link aiSdk}. */
export interface AiSdkOptions {
  /** Sent with every call, by the name of the vendor: `{ openai: { serviceTier: 'flex' } }`. Default: none. */
  readonly providerOptions?: VendorOptions | undefined;
  /** Sent with every request. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The media that the model takes, by media type. Default: what its vendor documents for its newest models, else images. */
  readonly takes?: ContentSupport | undefined;
  /**
   * Streams the answer. Without streaming, the whole answer must arrive within the `idleTimeoutMs` of the agent's
   * `retry`. Default true.
   */
  readonly stream?: boolean | undefined;
}

/**
 * A model of the AI SDK: whatever the packages `@ai-sdk/openai`, `@ai-sdk/google`, `@ai-sdk/mistral` and their like make,
 * of version 2, 3 or 4 of its specification.
 *
 * One call is one request: retries, waits and limits are the agent's. Reasoning, its signatures, files and calls that
 * the provider ran itself are sent back as they came. The provider's name is the vendor's (`openai.responses` is
 * `openai`), so that prices and replays agree. OpenAI is asked to store nothing, as with `openai`.
 *
 * @example
 * const gemini = aiSdk(google('gemini-3-pro')); // import { google } from '@ai-sdk/google'
 *
 * @throws {TroupeError} `input.invalid` for anything but a language model of version 2, 3 or 4, and for options that are unknown or do not
 * fit. The model rejects with a TroupeError with a `model.*` code, or with the abort's reason.
 */
export const aiSdk = (model: AiSdkLanguageModel, options: AiSdkOptions = {}): Model => {
  checkModel(model);
  const { providerOptions, headers, takes, stream: isStreamed = true } = check(options);
  const vendor = vendorOf(model.provider);
  const defaults = { version: model.specificationVersion, vendor, providerOptions, headers };
  const who = { provider: vendor.name, model: model.modelId };
  return {
    provider: who.provider,
    id: who.model,
    takes: takes ?? vendor.takes ?? TAKES,
    answer: async (request, call) => {
      const { aiSdkSettings, callOptions, isProviderTool } = await import('./call-options.ts');
      const { partReader, partsOf } = await import('./part-reader.ts');
      const context = await readerContext(who, request, call);
      const open = async (signal: AbortSignal): Promise<OpenedStream<unknown>> => {
        const asked = callOptions(context, defaults, signal);
        const controller = new AbortController();
        const parts = isStreamed
          ? eachPart((await model.doStream(asked)).stream, controller.signal)
          : eachOf(partsOf(await model.doGenerate(asked)));
        return { data: Object.assign(parts, { controller }) };
      };
      const answer = await readAnswer(who, call, open, partReader(context, vendor));
      const { omitted, sent } = aiSdkSettings(request, who.model, vendor, defaults.version);
      const given = joinOptions(
        { [vendor.name]: vendor.always ?? {} },
        providerOptions,
        sent.providerOptions,
      );
      if (
        given[vendor.name]?.['store'] === false &&
        answer.calls.some((each) => requestIn(each) !== undefined)
      )
        throw unanswerable(who, vendor.name);
      // Options go to the model as they are: it may stand before several vendors.
      const others = othersOptions({ providerTools: request.settings?.providerTools }, who.provider);
      const odd = toolsRunBy(who.provider, request).every(isProviderTool)
        ? {}
        : { [`providerTools.${who.provider}`]: "those of its package are `{ id: 'vendor.tool', args }`" };
      return withOmitted(answer, { ...answer.omitted, ...omitted, ...others, ...odd });
    },
  };
};

const check = optionsCheck<AiSdkOptions>({ code: 'input.invalid', owner: 'a model of the AI SDK' }, () => ({
  ...modelShape(),
  providerOptions: optional(byName(fulfilling(isJsonObject, 'not an object of JSON'))),
  stream: optional(aBoolean()),
}));

const checkModel = (given: unknown): void => {
  const problem = versionProblem(given);
  if (problem !== undefined) throw unfit(problem);
  const has = (name: string): boolean => typeof Reflect.get(Object(given), name) === 'function';
  if (has('doEmbed')) throw unfit('it makes embeddings: use `aiSdkEmbedder`');
  if (has('doRerank')) throw unfit('it reranks texts: use `aiSdkReranker`');
  for (const name of ['doGenerate', 'doStream']) if (!has(name)) throw unfit(`it has no '${name}'`);
};

const unfit = (found: string): TroupeError =>
  new TroupeError(
    'input.invalid',
    `Cannot use a model of the AI SDK as ${found}: give a language model of version v2, v3, v4, such as openai('gpt-5.5')`,
  );

/** Their packages send a request for approval back by its id alone, and a provider that stores nothing does not know it. */
const unanswerable = (
  { provider, model }: { provider: string; model: string },
  vendor: string,
): TroupeError =>
  new TroupeError(
    'model.bad-request',
    `Cannot put the provider's request for approval to a person as ${provider}:${model} is asked to store nothing, and its package can answer only what is stored: set \`providerOptions: { ${vendor}: { store: true } }\`, let the server need no approval, or use the adapter \`openai()\``,
  );

const eachOf = async function* (parts: readonly unknown[]): AsyncGenerator {
  yield* parts;
};

/** The parts of a stream, which is cancelled when nobody reads on. */
const eachPart = async function* (stream: AiSdkStream, signal: AbortSignal): AsyncGenerator {
  const reader = stream.getReader();
  signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
};
