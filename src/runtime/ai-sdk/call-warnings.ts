import type { Definition } from '../define/definition.ts';
import type { ModelCall, PromptMessage } from './model-call.ts';
import type { ModelWarning } from './model-part.ts';

/** A warning for each feature of a call that a run does not take, with what to do instead. */
export const callWarnings = (definition: Definition, call: ModelCall): ModelWarning[] => [
  ...(call.prompt.some(({ role }) => role === 'system') ? [warning('system', SYSTEM)] : []),
  ...settings.flatMap((name) =>
    call[name] === undefined
      ? []
      : [
          warning(
            name,
            `its agents ask their models by settings of their own: set \`settings.${OURS[name]}\` of the agent`,
          ),
        ],
  ),
  ...(call.tools === undefined || call.tools.length === 0
    ? []
    : [warning('tools', `an agent calls its own tools only: give it ${namesOf(call.tools)} as \`tools\``)]),
  ...(call.prompt.some(isApproval) ? [warning('toolApproval', APPROVAL)] : []),
  ...(call.toolChoice === undefined || call.toolChoice.type === 'auto'
    ? []
    : [
        warning('toolChoice', 'an agent chooses among its own tools: set `settings.toolChoice` of the agent'),
      ]),
  ...(call.responseFormat?.type === 'json' && isTextAgent(definition)
    ? [warning('responseFormat', 'the agent answers with text: give it the schema as `output`')]
    : []),
  ...(hasHeaders(call)
    ? [warning('headers', 'a run is no request: set `settings.headers` of the agent, for its models')]
    : []),
  ...(call.includeRawChunks === true
    ? [warning('includeRawChunks', 'a run has no chunks of a provider: read its events by `hooks`')]
    : []),
];

const SYSTEM =
  'an agent has its own instructions: write them as its `instructions`, and what differs by call as `conversation.fragments`';

const APPROVAL =
  'its calls wait for the `person` of the run: answer there, or by `answerRequest` of its store';

const isApproval = (message: PromptMessage): boolean =>
  message.role === 'tool' && message.content.some(({ type }) => type === 'tool-approval-response');

const OURS = {
  maxOutputTokens: 'maxOutputTokens',
  temperature: 'temperature',
  topP: 'topP',
  topK: 'topK',
  presencePenalty: 'presencePenalty',
  frequencyPenalty: 'frequencyPenalty',
  stopSequences: 'stop',
  seed: 'seed',
} as const;

const settings = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
] as const satisfies readonly (keyof typeof OURS)[];

const warning = (feature: string, details: string): ModelWarning => ({
  type: 'unsupported',
  feature,
  details,
});

const namesOf = (tools: readonly { readonly name: string }[]): string =>
  tools.map(({ name }) => `'${name}'`).join(', ');

/** Of a team it is not known what it answers with. */
const isTextAgent = ({ agent }: Definition): boolean =>
  agent !== undefined && agent.schemas.output === undefined;

/** The AI SDK names itself in each call. */
const hasHeaders = ({ headers = {} }: ModelCall): boolean =>
  Object.entries(headers).some(([name, value]) => value !== undefined && name.toLowerCase() !== 'user-agent');
