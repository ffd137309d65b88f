import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { oddValueIn } from '../../../base/json/odd-value.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import { resolveReference } from '../../schemas/json-schema-reference.ts';

/** An operation of an OpenAPI document. */
export interface OpenApiOperation {
  /** Its `operationId`; made of method and path where there is none. */
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  /** As the document has it: `/pets/{petId}`. */
  readonly path: string;
  readonly tags: readonly string[];
}

/** An operation with all that the document says of it. */
export interface DocumentedOperation extends OpenApiOperation {
  readonly own: JsonObject;
  /** The item of its path, which has parameters and servers of several operations. */
  readonly item: JsonObject;
}

/** The reason why a document, or an operation of it, cannot be used: the end of a sentence. */
export class DocumentProblem extends Error {}

const METHODS = ['get', 'head', 'options', 'put', 'post', 'patch', 'delete'] as const;

/** References that lead to references. */
const MAX_HOPS = 20;

/** An OpenAPI document, version 3.0 or 3.1. References are resolved within it; nothing is fetched. */
export class OpenApiDocument {
  readonly root: JsonObject;
  /** Its schemas are those of 3.0, a dialect of their own; later ones are JSON Schema. */
  readonly isOld: boolean;

  /** @throws {DocumentProblem} */
  constructor(given: unknown) {
    if (!isJsonObject(given))
      throw new DocumentProblem(
        `it is not an object: found ${foundText(given)}. Parse its JSON or YAML first`,
      );
    const odd = oddValueIn(given, 'document');
    if (odd !== undefined)
      throw new DocumentProblem(
        `it is not plain JSON: ${odd.found} at ${odd.at}. Give it with its references, not with what they lead to in their place`,
      );
    const { openapi, swagger, paths } = given;
    if (typeof openapi !== 'string' || !/^3\.[01](?:\.|$)/.test(openapi))
      throw new DocumentProblem(
        `its version is not 3.0 or 3.1: found ${swagger === undefined ? `\`openapi\` ${foundText(openapi)}` : `Swagger ${foundText(swagger)}, which a converter turns into OpenAPI 3`}`,
      );
    if (!isJsonObject(paths))
      throw new DocumentProblem(`its \`paths\` are not an object: found ${foundText(paths)}`);
    this.root = given;
    this.isOld = openapi.startsWith('3.0');
  }

  /** Its title, for messages. */
  get title(): string {
    const { info } = this.root;
    const title = isJsonObject(info) ? info['title'] : undefined;
    return typeof title === 'string' ? title : 'untitled';
  }

  /** All operations, in the order of the document. @throws {DocumentProblem} for a path whose reference leads nowhere. */
  operations(): readonly DocumentedOperation[] {
    const { paths } = this.root;
    return Object.entries(isJsonObject(paths) ? paths : {}).flatMap(([path, given]) => {
      const item = this.follow(given, `the path '${path}'`);
      return METHODS.flatMap((method) => {
        const own = item[method];
        return isJsonObject(own) ? [operationOf(method, path, own, item)] : [];
      });
    });
  }

  /** An object, or the one that its reference leads to. @throws {DocumentProblem} */
  follow(given: Json | undefined, place: string): JsonObject {
    let found = given;
    for (let hop = 0; hop < MAX_HOPS; hop += 1) {
      if (!isJsonObject(found))
        throw new DocumentProblem(`${place} is not an object: found ${foundText(found)}`);
      const { $ref } = found;
      if (typeof $ref !== 'string') return found;
      found = this.resolve($ref);
    }
    throw new DocumentProblem(`${place} is a reference that leads back to itself`);
  }

  /** Resolves a reference within the document. @throws {DocumentProblem} */
  resolve(reference: string): Json {
    if (!reference.startsWith('#'))
      throw new DocumentProblem(
        `it refers to another document, '${reference}': bundle them into one, nothing is fetched`,
      );
    const found = resolveReference(this.root, reference);
    if (found === undefined) throw new DocumentProblem(`the reference '${reference}' leads nowhere`);
    return found;
  }
}

const operationOf = (
  method: (typeof METHODS)[number],
  path: string,
  own: JsonObject,
  item: JsonObject,
): DocumentedOperation => {
  const { operationId, tags } = own;
  return {
    id: typeof operationId === 'string' && operationId.trim() !== '' ? operationId : makeId(method, path),
    method: method.toUpperCase(),
    path,
    tags: Array.isArray(tags) ? tags.filter((tag: Json) => typeof tag === 'string') : [],
    own,
    item,
  };
};

/** `get /pets/{petId}` → `get_pets_petId`. */
const makeId = (method: string, path: string): string =>
  [method, ...path.split(/[/{}]/)].filter((part) => part !== '').join('_');
