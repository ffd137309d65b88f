import type { JsonObject } from '../../../src/base/json/json.ts';

/** The pet store that the specification is explained by, with what such documents have in the world: references, cycles, dialects. */
const paths = (nullable: JsonObject): JsonObject => ({
  '/pets': {
    parameters: [{ $ref: '#/components/parameters/Trace' }],
    get: {
      operationId: 'listPets',
      summary: 'List all pets.',
      description: 'The youngest first.',
      tags: ['pets'],
      parameters: [
        { name: 'limit', in: 'query', description: 'The most.', schema: { type: 'integer', maximum: 100 } },
        { name: 'tags', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } },
        { name: 'filter', in: 'query', style: 'deepObject', explode: true, schema: { type: 'object' } },
        { name: 'where', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
        { name: 'session', in: 'cookie', schema: { type: 'string' } },
        { name: 'Authorization', in: 'header', schema: { type: 'string' } },
      ],
      responses: { 200: { description: 'Pets.' } },
    },
    post: {
      operationId: 'create pet!',
      requestBody: { $ref: '#/components/requestBodies/Pet' },
      responses: { 201: { description: 'Made.' } },
    },
  },
  '/pets/{petId}': {
    parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'string' } }],
    get: { operationId: 'getPet', responses: {} },
    put: {
      operationId: 'replacePet',
      requestBody: {
        required: true,
        content: {
          'application/vnd.pets+json': { schema: { type: 'object', properties: { nick: nullable } } },
        },
      },
      responses: {},
    },
    delete: { deprecated: true, responses: {} },
  },
});

const components: JsonObject = {
  parameters: { Trace: { name: 'X-Trace', in: 'header', schema: { type: 'string' } } },
  requestBodies: {
    Pet: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
    },
  },
  schemas: {
    Pet: {
      type: 'object',
      required: ['id', 'name'],
      properties: {
        id: { type: 'integer', readOnly: true },
        name: { type: 'string' },
        parents: { type: 'array', items: { $ref: '#/components/schemas/Pet' } },
        owner: { $ref: '#/components/schemas/Owner' },
      },
    },
    Owner: {
      type: 'object',
      properties: { pets: { type: 'array', items: { $ref: '#/components/schemas/Pet' } } },
    },
  },
};

const documentOf = (openapi: string, nullable: JsonObject, url: string): JsonObject => ({
  openapi,
  info: { title: 'Petstore', version: '1.0.0' },
  servers: [{ url: '{origin}/v1/', variables: { origin: { default: url } } }],
  paths: paths(nullable),
  components,
});

export const petstore30 = (url: string): JsonObject =>
  documentOf('3.0.3', { type: 'string', nullable: true }, url);

export const petstore31 = (url: string): JsonObject => documentOf('3.1.0', { type: ['string', 'null'] }, url);
