import type { AgentCard, AgentExtension, AgentSkill } from '@a2a-js/sdk';
import { schemasOf } from '../../runtime/serve/runs/agent-schemas.ts';
import type { ServedAgent } from '../../runtime/serve/runs/served-names.ts';
import { BINDING, SCHEMAS_URI, VERSION } from '../wire.ts';

/** The media types that an agent takes and gives. */
export interface Modes {
  readonly input: readonly string[];
  readonly output: readonly string[];
}

const TEXT = 'text/plain';
const JSON_TYPE = 'application/json';
/** Of an agent without a schema, which takes texts and media. */
const CONTENT: readonly string[] = [TEXT, 'text/*', JSON_TYPE, 'image/*', 'audio/*', 'application/pdf'];

/** The media types of an agent, by its schemas. */
export const modesOf = (agent: ServedAgent): Modes => {
  const { input, output } = schemasOf(agent);
  return {
    input: input === undefined ? CONTENT : [JSON_TYPE],
    output: output === undefined ? [TEXT] : [JSON_TYPE],
  };
};

/** The facts of a card that are not the agent's own. */
export interface CardFacts {
  /** The address of the agent. */
  readonly url: string;
  /** True if callers have to say who they are. */
  readonly hasAuth: boolean;
}

/** The card of an agent: its name, its purpose, its schemas and how it is reached. */
export const cardOf = (agent: ServedAgent, { url, hasAuth }: CardFacts): AgentCard => {
  const { name, description: purpose } = agent.definition;
  const description = purpose === '' ? `The agent ${name}.` : purpose;
  const { input, output } = modesOf(agent);
  return {
    name,
    description,
    version: '1.0.0',
    supportedInterfaces: [BINDING.rpc, BINDING.rest].map((protocolBinding) => ({
      url,
      protocolBinding,
      tenant: '',
      protocolVersion: VERSION,
    })),
    provider: undefined,
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: schemasExtension(agent),
    },
    securitySchemes: hasAuth ? BEARER : {},
    securityRequirements: hasAuth ? [{ schemes: { bearer: { list: [] } } }] : [],
    defaultInputModes: [...input],
    defaultOutputModes: [...output],
    skills: [skillOf(name, description)],
    signatures: [],
  };
};

/** The card has no place for schemas: a client that knows of them finds them here, and any other leaves them out. */
const schemasExtension = (agent: ServedAgent): AgentExtension[] => {
  const { input, output } = schemasOf(agent);
  if (input === undefined && output === undefined) return [];
  return [
    {
      uri: SCHEMAS_URI,
      description: 'The JSON Schemas of the data that a message holds, and of the answer.',
      required: false,
      params: {
        ...(input === undefined ? {} : { input }),
        ...(output === undefined ? {} : { output }),
      },
    },
  ];
};

const skillOf = (name: string, description: string): AgentSkill => ({
  id: name,
  name,
  description,
  tags: ['agent'],
  examples: [],
  inputModes: [],
  outputModes: [],
  securityRequirements: [],
});

/** As the server asks for credentials: `WWW-Authenticate: Bearer`. */
const BEARER: AgentCard['securitySchemes'] = {
  bearer: {
    scheme: {
      $case: 'httpAuthSecurityScheme',
      value: { description: 'A token of this server.', scheme: 'Bearer', bearerFormat: '' },
    },
  },
};
