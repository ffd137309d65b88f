import type { Json, JsonObject } from '../../base/json/json.ts';
import type { ModelRequest } from '../../contracts/models/model.ts';
import { wireOutput } from '../schemas/output-schema.ts';
import type { ReaderContext } from '../wire/reader-context.ts';
import type {
  AiSdkToolChoice,
  CallOptions,
  FunctionTool,
  PromptMessage,
  VendorOptions,
} from './language-model.ts';
import { cacheMark, promptOf } from './prompt.ts';
import { joinOptions, type Vendor } from './vendors.ts';

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
  const { maxOutputTokens, temperature } = request.settings ?? {};
  const prompt = promptOf(context, vendor, version);
  const options = joinOptions(vendorOptions(context, vendor, version), providerOptions);
  return {
    prompt,
    abortSignal,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...outputField(request),
    ...toolFields(context, prompt, vendor),
    ...reasoningField(request, version),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(Object.keys(options).length === 0 ? {} : { providerOptions: options }),
  };
};

const outputField = ({ output }: ModelRequest): Pick<CallOptions, 'responseFormat'> => {
  if (output === undefined) return {};
  const { name, schema } = wireOutput(output);
  return { responseFormat: { type: 'json', schema, name } };
};

const reasoningField = ({ settings }: ModelRequest, version: string): Pick<CallOptions, 'reasoning'> =>
  version === 'v4' && settings?.reasoning !== undefined ? { reasoning: settings.reasoning } : {};

/** The options that the vendor alone knows. */
const vendorOptions = (
  { request, who }: ReaderContext,
  { name, always, reasoning, loose }: Vendor,
  version: string,
): VendorOptions => {
  const { settings, output } = request;
  const effort = settings?.reasoning;
  const isLoose = output !== undefined && !wireOutput(output).isStrict;
  const fields: Record<string, Json> = {
    ...always,
    ...(effort === undefined || version === 'v4' ? {} : reasoning?.(effort, who.model, request)),
    ...(isLoose ? loose : {}),
  };
  return Object.keys(fields).length === 0 ? {} : { [name]: fields };
};

type ToolFields = Pick<CallOptions, 'tools' | 'toolChoice'>;

const toolFields = (
  { request, names, inputs }: ReaderContext,
  prompt: readonly PromptMessage[],
  vendor: Vendor,
): ToolFields => {
  const { tools, toolChoice, settings } = request;
  if (tools.length === 0) return vendor.demandsTools ? formerTools(prompt) : {};
  const list = tools.map((tool): FunctionTool => ({
    type: 'function',
    name: names.legal(tool.name),
    description: tool.description,
    inputSchema: inputs.schema(tool),
  }));
  const last = list.pop();
  return {
    tools: last === undefined ? list : [...list, { ...last, ...cacheMark(vendor, settings?.cache ?? true) }],
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

/** A conversation that shows calls is refused without tools: those of the past are named, and not to be used. */
const formerTools = (prompt: readonly PromptMessage[]): ToolFields => {
  const used = prompt.flatMap((message) =>
    message.role === 'tool' ? message.content.map(({ toolName }) => toolName) : [],
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
