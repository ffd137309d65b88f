import type { JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import {
  aFunction,
  aText,
  byName,
  formOr,
  listOf,
  objectWith,
  optional,
  optionsSchema,
  wholeNumber,
} from '../../../base/schemas/option-schemas.ts';
import { nearestName } from '../../../base/text/nearest-name.ts';
import type { ContentLimits } from '../../../contracts/content/read-content.ts';
import type { HttpOps } from '../../../contracts/environments/operations.ts';
import { optionsCheck, refusedOptions } from '../../../contracts/errors/check-options.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Safety, Tool } from '../../../contracts/tools/tool.ts';
import { tool } from '../../define/define-tool.ts';
import { isToolName } from '../../define/tool-options.ts';
import type { BytesPlace } from './given-bytes.ts';
import { publicHttp } from '../http/http-environment.ts';
import type { DocumentedOperation, OpenApiOperation } from './open-api-document.ts';
import { DocumentProblem, OpenApiDocument } from './open-api-document.ts';
import { fillPath, writeHeaders, writeQuery } from './parameters.ts';
import type { RequestPlan } from './request-plan.ts';
import { planRequests } from './request-plan.ts';
import { readAnswer } from './read-answer.ts';
import type { WrittenBody } from './request-body.ts';
import { writeBody } from './request-body.ts';

/** Headers by their names. */
type HeaderFields = Readonly<Record<string, string>>;

/** Options of {@link openApiTools}. */
export interface OpenApiToolsOptions {
  /** The operations to make tools of: their ids, or a function that picks them. Default: all. */
  readonly only?: readonly string[] | ((operation: OpenApiOperation) => boolean) | undefined;
  /** The address of the API. Default: the first server of the operation, of its path, or of the document. */
  readonly baseURL?: string | undefined;
  /** Headers of every request. */
  readonly headers?: HeaderFields | undefined;
  /**
   * Returns the headers that authenticate a request, before each one. They are sent, and written nowhere; a server that repeats them in its
   * answer is redacted.
   */
  readonly auth?: ((operation: OpenApiOperation) => HeaderFields | Promise<HeaderFields>) | undefined;
  /** Makes the requests. Default: `publicHttp()` with the methods of the operations, which reaches public addresses only. */
  readonly ops?: HttpOps | undefined;
  /** Limits on media in requests and answers, beside those of the run. Default: what `ops` reads of an answer. */
  readonly content?: Pick<ContentLimits, 'maxBytes' | 'mediaTypes'> | undefined;
}

const check = optionsCheck<OpenApiToolsOptions>(
  { code: 'tool.invalid', owner: 'the tools of an API' },
  () => ({
    only: optional(formOr((given) => typeof given === 'function', aFunction(), listOf(aText(1)))),
    baseURL: optional(aText(1)),
    headers: optional(byName(aText())),
    auth: optional(aFunction()),
    ops: optional(objectWith(['request'], 'not something that makes requests: write publicHttp({ … })')),
    content: optional(
      optionsSchema<NonNullable<OpenApiToolsOptions['content']>>({
        maxBytes: optional(wholeNumber(1)),
        mediaTypes: optional(listOf(aText(1))),
      }),
    ),
  }),
);

/** Characters of a description that models take. */
const MAX_DESCRIPTION = 1_024;

/**
 * Makes a tool of each operation of an OpenAPI document, version 3.0 or 3.1.
 *
 * A tool has the `operationId` as its name; parameters and body are its input, checked before a request is made. GET and HEAD only read;
 * PUT and DELETE may be repeated; DELETE cannot be undone, so a person approves it. An answer of JSON is the value, images and files are media,
 * a status of 300 and more is a failed call with that `status`. Long answers are put aside as those of any tool. Bytes that a request needs
 * are media of the conversation, by their name, or a text.
 *
 * @example
 * const tools = openApiTools(document, {
 *   only: ['listPets', 'getPet'],
 *   auth: () => ({ authorization: `Bearer ${process.env.PETS_TOKEN}` }),
 * });
 * const keeper = agent({ name: 'keeper', tools });
 *
 * @throws {TroupeError} `tool.invalid` for what is no document of these versions, an operation with what is not supported (cookies that are
 * required, other styles), references that lead nowhere, two operations of one name, and for an unknown id in `only`.
 */
export const openApiTools = (document: object, options: OpenApiToolsOptions = {}): readonly Tool[] => {
  const { only, baseURL, ...rest } = check(options);
  const { read, operations } = readDocument(document);
  const picked = pickOperations(operations, only);
  const { content: limits = {} } = rest;
  const methods = [...new Set(picked.map(({ method }) => method))];
  const ops = rest.ops ?? publicHttp({ methods, maxBytes: limits.maxBytes });
  const problems: string[] = [];
  const names = new Map<string, string>();
  const tools = picked.flatMap((operation) => {
    const place = `the operation '${operation.id}' (${operation.method} ${operation.path})`;
    try {
      const name = nameOf(operation.id);
      const before = names.get(name);
      if (before !== undefined)
        throw new DocumentProblem(`its name '${name}' is also that of ${before}: leave one out by \`only\``);
      names.set(name, place);
      return [toolOf(name, operation, planRequests(read, operation, baseURL), { ...rest, ops, limits })];
    } catch (thrown) {
      problems.push(`${place} cannot be used as ${problemIn(thrown)}`);
      return [];
    }
  });
  if (problems.length > 0) throw refusal(problems, `the OpenAPI document '${read.title}'`);
  return tools;
};

const readDocument = (given: unknown) => {
  try {
    const read = new OpenApiDocument(given);
    return { read, operations: read.operations() };
  } catch (thrown) {
    throw refusal([problemIn(thrown)], 'an OpenAPI document');
  }
};

const problemIn = (thrown: unknown): string => {
  if (thrown instanceof DocumentProblem) return thrown.message;
  throw thrown;
};

const refusal = (problems: readonly string[], owner: string): TroupeError =>
  refusedOptions(problems, { code: 'tool.invalid', owner, verb: 'make tools of' });

const pickOperations = (
  operations: readonly DocumentedOperation[],
  only: OpenApiToolsOptions['only'],
): readonly DocumentedOperation[] => {
  if (only === undefined) return operations;
  if (typeof only === 'function') return operations.filter((operation) => only(factsOf(operation)));
  const ids = operations.map(({ id }) => id);
  const unknown = only.filter((id) => !ids.includes(id));
  if (unknown.length === 0) return operations.filter(({ id }) => only.includes(id));
  throw refusal(
    unknown.map((id) => {
      const nearest = nearestName(id, ids);
      return `\`only\` names the operation '${id}', which it does not have${nearest === undefined ? '' : `: did you mean '${nearest}'?`}`;
    }),
    'an OpenAPI document',
  );
};

const factsOf = ({ id, method, path, tags }: DocumentedOperation): OpenApiOperation => ({
  id,
  method,
  path,
  tags,
});

/** The name of a tool: what it cannot have is an underscore. */
const nameOf = (id: string): string => {
  const plain = id.replaceAll(/[^\p{L}\p{M}\p{N}_.:/-]/gu, '_').slice(0, 255);
  return [plain, `_${plain}`].find(isToolName) ?? '_';
};

const SAFETY: Readonly<Record<string, Safety>> = {
  GET: 'read',
  HEAD: 'read',
  OPTIONS: 'read',
  DELETE: 'danger',
};

/** Methods whose repetition does no harm, by RFC 9110. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

interface Calls extends Pick<OpenApiToolsOptions, 'headers' | 'auth'> {
  readonly ops: HttpOps;
  readonly limits: ContentLimits;
}

const toolOf = (name: string, operation: DocumentedOperation, plan: RequestPlan, calls: Calls): Tool => {
  const { method, path, own } = operation;
  return tool({
    name,
    description: descriptionOf(operation),
    parameters: plan.input,
    category: 'http',
    tags: operation.tags,
    safety: SAFETY[method] ?? 'write',
    idempotent: IDEMPOTENT.has(method),
    describe: () => `${method} ${path}`,
    ...(own['deprecated'] === true ? { deprecated: 'The API has deprecated it.' } : {}),
    execute: async (given, context) => {
      const input = isJsonObject(given) ? given : {};
      const url = `${plan.server}${fillPath(path, plan.parameters, input)}${writeQuery(plan.parameters, input)}`;
      const own = { ...calls.headers, ...writeHeaders(plan.parameters, input) };
      const written = await bodyOf(plan, input, { context, limits: calls.limits });
      const secrets = await authenticate(name, operation, calls);
      const response = await calls.ops.request({
        url,
        method,
        signal: context.signal,
        headers: { ...ACCEPTED, ...lowerNames(own), ...typeOf(written), ...secrets },
        ...(written === undefined ? {} : { body: written.body }),
      });
      return readAnswer({ name, method, secrets, limits: calls.limits }, response);
    },
  });
};

const descriptionOf = ({ method, path, own: { summary, description } }: DocumentedOperation): string => {
  const said = [summary, description]
    .flatMap((each) => (typeof each === 'string' && each.trim() !== '' ? [each] : []))
    .join('\n\n');
  if (said === '') return `${method} ${path}`;
  return said.length <= MAX_DESCRIPTION ? said : `${said.slice(0, MAX_DESCRIPTION - 1)}…`;
};

/** The headers of the caller; no error quotes them. */
const authenticate = async (
  name: string,
  operation: DocumentedOperation,
  { auth }: Calls,
): Promise<HeaderFields> => {
  const headers: unknown = (await auth?.(factsOf(operation))) ?? {};
  const isWhole =
    typeof headers === 'object' &&
    headers !== null &&
    Object.values(headers).every((each) => typeof each === 'string');
  if (!isWhole)
    throw new TroupeError(
      'tool.failed',
      `Cannot call '${name}' as \`auth\` did not return headers: texts by name`,
    );
  return lowerNames(headers as HeaderFields);
};

const ACCEPTED = { accept: 'application/json, text/*;q=0.9, */*;q=0.1' };

/** The body of a request; undefined without one. */
const bodyOf = async (
  { body }: RequestPlan,
  input: JsonObject,
  place: BytesPlace,
): Promise<WrittenBody | undefined> => {
  const content = body === undefined ? undefined : input[body.property];
  return body === undefined || content === undefined ? undefined : writeBody(body, content, place);
};

const typeOf = (written: WrittenBody | undefined): HeaderFields =>
  written === undefined ? {} : { 'content-type': written.mediaType };

const lowerNames = (headers: HeaderFields): HeaderFields =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
