import { withoutUndefined } from '../../base/json/without-undefined.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json/json.ts';
import type { ModelRequest } from '../../contracts/models/model.ts';
import { wireOutput } from '../schemas/output-schema.ts';
import { toolsDefinedHere, toolsRunBy } from '../wire/provider-tools.ts';
import type { ReaderContext } from '../wire/reader-context.ts';
import { type PlainSettings, sentSettings, type SentSettings } from '../wire/sent-settings.ts';
import type {
  AiSdkToolChoice,
  CallOptions,
  FunctionTool,
  PromptMessage,
  ProviderTool,
  VendorOptions,
} from './language-model.ts';
import { cacheMark, promptOf } from './prompt.ts';
import { joinOptions, optionalOf, type Vendor } from './vendors.ts';

/** The options of the model, the same for all of its calls. */
export interface CallDefaults {
  readonly version: string;
  readonly vendor: Vendor;
  readonly providerOptions?: VendorOptions | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The options of one call. Pure. */
export const callOptions = (
  context: ReaderContext,
  { version, vendor, providerOptions, headers }: CallDefaults,
  abortSignal: AbortSignal,
): CallOptions => {
  const { request } = context;
  const { sent } = aiSdkSettings(request, context.who.model, vendor, version);
  const prompt = promptOf(context, vendor, version);
  const options = joinOptions(
    vendorOptions(context, vendor, version, sent),
    providerOptions,
    sent.providerOptions,
  );
  return {
    prompt,
    abortSignal,
    ...withoutUndefined({
      maxOutputTokens: sent.maxOutputTokens,
      temperature: sent.temperature,
      topP: sent.topP,
      topK: sent.topK,
      stopSequences: sent.stop === undefined ? undefined : [...sent.stop],
      seed: sent.seed,
      presencePenalty: sent.presencePenalty,
      frequencyPenalty: sent.frequencyPenalty,
      // A budget goes to the vendor by an option of its own.
      reasoning: version === 'v4' && sent.budgetTokens === undefined ? sent.effort : undefined,
    }),
    ...outputField(request, vendor),
    ...toolFields(context, prompt, vendor, providerTools(request, vendor, version)),
    ...(headers === undefined && sent.headers === undefined
      ? {}
      : { headers: { ...headers, ...sent.headers } }),
    ...(Object.keys(options).length === 0 ? {} : { providerOptions: options }),
  };
};

const outputField = ({ output }: ModelRequest, vendor: Vendor): Pick<CallOptions, 'responseFormat'> => {
  if (output === undefined) return {};
  const { name, schema } = wireOutput(output, optionalOf(vendor));
  return { responseFormat: { type: 'json', schema, name } };
};

/** The settings that a model takes, as far as that is known before it is asked: the others are in its warnings. */
export const aiSdkSettings = (
  request: ModelRequest,
  model: string,
  { reasoning, takesBudget, refusals, parallel, takesTier }: Vendor,
  version: string,
): SentSettings =>
  sentSettings(request.settings, {
    'reasoning.effort': version !== 'v4' && reasoning === undefined && NO_OPTION,
    'reasoning.budgetTokens': takesBudget !== true && NO_OPTION,
    parallelCalls: parallel === undefined && NO_OPTION,
    serviceTier: takesTier !== true && NO_OPTION,
    ...refusals?.(model, request),
  });

const NO_OPTION = 'no option of its vendor is known for it: use `providerOptions`';

/** The options that the vendor alone knows. */
const vendorOptions = (
  { request, who }: ReaderContext,
  vendor: Vendor,
  version: string,
  { effort, budgetTokens, parallelCalls, serviceTier }: PlainSettings,
): VendorOptions => {
  const { output, tools } = request;
  const { name, always, reasoning, parallel, loose } = vendor;
  const isLoose = output !== undefined && !wireOutput(output, optionalOf(vendor)).isStrict;
  const isVendors = budgetTokens !== undefined || (effort !== undefined && version !== 'v4');
  const fields: Record<string, Json> = {
    ...always,
    ...(isVendors ? reasoning?.({ effort, budgetTokens }, who.model, request) : {}),
    ...(parallelCalls === undefined || tools.length === 0 ? {} : parallel?.(parallelCalls)),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(isLoose ? loose : {}),
  };
  return Object.keys(fields).length === 0 ? {} : { [name]: fields };
};

type ToolFields = Pick<CallOptions, 'tools' | 'toolChoice'>;

const toolFields = (
  { request, names, inputs }: ReaderContext,
  prompt: readonly PromptMessage[],
  vendor: Vendor,
  theirs: readonly ProviderTool[],
): ToolFields => {
  const { toolChoice, settings } = request;
  const tools = toolsDefinedHere(request, theirs);
  if (tools.length === 0) {
    if (theirs.length > 0) return { tools: [...theirs] };
    return vendor.demandsTools ? formerTools(prompt) : {};
  }
  const list = tools.map((tool): FunctionTool => ({
    type: 'function',
    name: names.legal(tool.name),
    description: tool.description,
    inputSchema: inputs.schema(tool),
  }));
  const last = list.pop();
  return {
    tools:
      last === undefined
        ? list
        : [...theirs, ...list, { ...last, ...cacheMark(vendor, settings?.cache ?? true) }],
    ...(toolChoice === undefined
      ? {}
      : {
          toolChoice:
            typeof toolChoice === 'object'
              ? { type: 'tool', toolName: names.legal(toolChoice.name) }
              : ({ type: toolChoice } satisfies AiSdkToolChoice),
        }),
  };
};

/** The tools that the vendor runs, as `openai.tools.webSearch()` and the like define them. */
const providerTools = (request: ModelRequest, { name }: Vendor, version: string): readonly ProviderTool[] =>
  toolsRunBy(name, request)
    .filter(isProviderTool)
    .map(({ id, name: called = id.replace(/^.*\./, ''), args = {} }) => ({
      type: version === 'v2' ? 'provider-defined' : 'provider',
      id,
      name: called,
      args,
    }));

/** Checks whether a tool is defined as the packages of the AI SDK define theirs. */
export const isProviderTool = (
  given: object,
): given is Pick<ProviderTool, 'id'> & Partial<Pick<ProviderTool, 'name' | 'args'>> => {
  const { id, name, args }: { id?: unknown; name?: unknown; args?: unknown } = given;
  const isNamed = name === undefined || typeof name === 'string';
  return typeof id === 'string' && id.includes('.') && isNamed && (args === undefined || isJsonObject(args));
};

/** A conversation that shows calls is refused without tools: those of the past are named, and not to be used. */
const formerTools = (prompt: readonly PromptMessage[]): ToolFields => {
  const used = prompt.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolName] : []))
      : [],
  );
  const inputSchema: JsonObject = { type: 'object' };
  const tools = [...new Set(used)].map((name): FunctionTool => ({
    type: 'function',
    name,
    description: 'No longer available.',
    inputSchema,
  }));
  return tools.length === 0 ? {} : { tools, toolChoice: { type: 'none' } };
};
