import * as z from 'zod/mini';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { errorCodes } from '../../contracts/errors/error-data.ts';
import type { Route, RouteName } from './http/routes.ts';
import { bodies, routes } from './http/routes.ts';
import { schemasOf } from './runs/agent-schemas.ts';
import type { ServedAgent } from './runs/served-names.ts';

/**
 * The OpenAPI 3.1 document of a server: one operation for each agent that starts a run of it, with the schemas of its input and answer, and
 * one for each other operation.
 */
export const openApi = (agents: readonly ServedAgent[], basePath: string): JsonObject => {
  const paths: Record<string, Record<string, Json>> = {};
  const add = (path: string, method: string, operation: Json): void => {
    (paths[path] ??= {})[method] = operation;
  };
  for (const route of routes) {
    const method = route.method.toLowerCase();
    if (route.name === 'start')
      for (const agent of agents) add(`/agents/${agent.name}/runs`, method, startOperation(route, agent));
    else add(route.path, method, operationOf(route));
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Agents', version: '1.0.0' },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    paths,
    components: {
      schemas: {
        Error: ERROR,
        Started: objectOf({ runId: TEXT, isNew: { type: 'boolean' } }, ['runId', 'isNew']),
        ...Object.fromEntries(agents.map((agent) => [resultNameOf(agent), resultSchema(agent)])),
      },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ bearer: [] }, {}],
  };
};

const TEXT = { type: 'string' } as const;

const objectOf = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
});

const ERROR = objectOf(
  {
    error: objectOf(
      {
        code: { type: 'string', enum: errorCodes },
        message: TEXT,
        retryable: { type: 'string', enum: ['yes', 'maybe', 'no'] },
        retryAfterMs: { type: 'number' },
        runId: TEXT,
      },
      ['code', 'message', 'retryable'],
    ),
  },
  ['error'],
);

const REFUSED = { description: 'Refused.', content: { 'application/json': { schema: refTo('Error') } } };

function refTo(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

const resultNameOf = ({ name }: ServedAgent): string => `ResultOf_${name}`;

const resultSchema = (agent: ServedAgent): JsonObject =>
  objectOf(
    {
      runId: TEXT,
      status: { type: 'string', enum: ['completed', 'stopped', 'aborted', 'failed'] },
      output: answerOf(agent),
      stopReason: { type: 'object' },
      error: { type: 'object' },
      totals: { type: 'object' },
    },
    ['runId', 'status', 'stopReason', 'totals'],
  );

/** An agent without a schema answers by a text; of a team nothing is known. */
const answerOf = (agent: ServedAgent): JsonObject => {
  const { output } = schemasOf(agent);
  if (output !== undefined) return output;
  return agent.definition.agent === undefined ? {} : TEXT;
};

const inputOf = (agent: ServedAgent): JsonObject =>
  schemasOf(agent).input ?? { oneOf: [TEXT, { type: 'array', items: { type: 'object' } }] };

const startOperation = (route: Route, agent: ServedAgent): Json => {
  const body = schemaOf(bodies().start);
  const properties = isJsonObject(body['properties']) ? body['properties'] : {};
  return {
    operationId: `start_${agent.name}`,
    summary: route.summary,
    description: agent.definition.description,
    parameters: [
      { name: 'Idempotency-Key', in: 'header', required: false, schema: { ...TEXT, maxLength: 255 } },
    ],
    requestBody: bodyOf({ ...body, properties: { ...properties, input: inputOf(agent) } }),
    responses: {
      '200': { description: 'Started before, by the same key.', ...contentOf(refTo('Started')) },
      '201': { description: 'Started.', ...contentOf(refTo('Started')) },
      default: REFUSED,
    },
  };
};

const bodyName: Readonly<Partial<Record<RouteName, keyof ReturnType<typeof bodies>>>> = {
  answer: 'answer',
  send: 'send',
  step: 'step',
  abort: 'abort',
  fork: 'fork',
  pause: 'nothing',
  resume: 'nothing',
};

const operationOf = (route: Route): Json => {
  const { name, path, summary } = route;
  const body = bodyName[name];
  return {
    operationId: name,
    summary,
    parameters: [
      ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, each = '']) => ({
        name: each,
        in: 'path',
        required: true,
        schema: TEXT,
      })),
      ...queryOf(name),
    ],
    ...(body === undefined ? {} : { requestBody: bodyOf(schemaOf(bodies()[body])) }),
    responses: { [successOf(name)]: { description: 'Done.', ...replyOf(name) }, default: REFUSED },
  };
};

const queryOf = (name: RouteName): readonly Json[] => {
  const query = (each: string) => ({ name: each, in: 'query', required: false, schema: { type: 'integer' } });
  if (name === 'result' || name === 'step' || name === 'stepped') return [query('waitMs')];
  if (name === 'runs' || name === 'threads') return [query('limit')];
  if (name !== 'events') return [];
  return [{ name: 'Last-Event-ID', in: 'header', required: false, schema: { type: 'integer' } }];
};

const successOf = (name: RouteName): string => (name === 'fork' ? '201' : '200');

const replyOf = (name: RouteName): JsonObject => {
  if (name === 'events') return { content: { 'text/event-stream': { schema: TEXT } } };
  if (name === 'blob') return { content: { 'application/octet-stream': {} } };
  return contentOf(name === 'fork' ? refTo('Started') : { type: 'object' });
};

const contentOf = (schema: Json): JsonObject => ({ content: { 'application/json': { schema } } });

const bodyOf = (schema: Json): JsonObject => ({ required: true, ...contentOf(schema) });

const schemaOf = (schema: z.core.$ZodType): JsonObject => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema);
  const plain = toJson(rest);
  return isJsonObject(plain) ? plain : {};
};
