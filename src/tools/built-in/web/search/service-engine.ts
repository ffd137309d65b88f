import { isObject } from '../../../../base/schemas/option-schemas.ts';
import type { HttpOps, HttpRequest, HttpResponse } from '../../../../contracts/environments/operations.ts';
import { TroupeError } from '../../../../contracts/errors/error.ts';
import { failedAnswer } from '../../http/failed-answer.ts';
import { publicHttp } from '../../http/http-environment.ts';
import { redactEchoes, type HeaderFields } from '../../http/redact-echoes.ts';
import type { SearchEngine, SearchHit } from './search-engine.ts';
import type { SearchService } from './search-services.ts';

/** A key, or a function that returns it before each request. */
export type SearchKey = string | (() => string | Promise<string>);

/** The parts of a service's use that are the user's. */
export interface ServiceAccess {
  readonly apiKey: SearchKey;
  /** The address of the search, in place of the service's own. */
  readonly url?: string | undefined;
  readonly ops?: HttpOps | undefined;
}

/** Makes a search engine of a service. Its key is sent, and written nowhere. */
export const serviceEngine = (service: SearchService, access: ServiceAccess): SearchEngine => {
  const { apiKey, url = service.url, ops = publicHttp({ methods: [service.method] }) } = access;
  return {
    name: service.name,
    find: async (query, { limit, signal }) => {
      const secrets = { [service.key.header]: `${service.key.before}${await keyOf(service.name, apiKey)}` };
      const fields = { [service.fields.query]: query, [service.fields.limit]: Math.min(limit, service.most) };
      const request = requestOf(service, url, fields);
      const response = await ops.request({ ...request, headers: { ...request.headers, ...secrets }, signal });
      return hitsIn(service, response, secrets);
    },
  };
};

const keyOf = async (name: string, apiKey: SearchKey): Promise<string> => {
  const key: unknown = typeof apiKey === 'function' ? await apiKey() : apiKey;
  if (typeof key === 'string' && /^[!-~]+$/.test(key)) return key;
  throw new TroupeError('tool.failed', `Cannot search by ${name} as \`apiKey\` returned no key`, {
    retryable: 'no',
  });
};

const requestOf = (
  { method }: SearchService,
  url: string,
  fields: Readonly<Record<string, string | number>>,
): HttpRequest => {
  const accept = 'application/json';
  if (method === 'POST')
    return { url, method, headers: { accept, 'content-type': accept }, body: JSON.stringify(fields) };
  const address = new URL(url);
  for (const [name, value] of Object.entries(fields)) address.searchParams.set(name, String(value));
  return { url: address.href, method, headers: { accept } };
};

const hitsIn = (
  service: SearchService,
  response: HttpResponse,
  secrets: HeaderFields,
): readonly SearchHit[] => {
  const text = redactEchoes(response.text, secrets);
  if (response.status < 200 || response.status >= 300) throw failedAnswer('search_web', response, text);
  const results = service.results.reduce(
    (value: unknown, name) => {
      if (value !== undefined && !isObject(value))
        throw unreadable(service, `there is no \`${service.results.join('.')}\` in it`);
      // A place that is not there is no result.
      return fieldOf(value, name);
    },
    parseAnswer(service, text),
  );
  if (results !== undefined && !Array.isArray(results))
    throw unreadable(service, `its \`${service.results.join('.')}\` is no list`);
  return (results ?? []).map((result: unknown) => ({
    title: textOf(fieldOf(result, 'title')),
    url: textOf(fieldOf(result, 'url')),
    text: textOf(fieldOf(result, service.text)),
  }));
};

const parseAnswer = (service: SearchService, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(service, `it is no JSON, or was cut: ${JSON.stringify(text.slice(0, 200))}`);
  }
};

const fieldOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const unreadable = ({ name }: SearchService, reason: string): TroupeError =>
  new TroupeError('tool.failed', `Cannot read the answer of ${name} as ${reason}`, { retryable: 'maybe' });
