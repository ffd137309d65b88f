/** The media type of an answer, without parameters. */
export const mediaTypeOf = (headers: Readonly<Record<string, string>>): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Types of `application` that are texts. */
const TEXTS =
  /^application\/(?:(?:[\w.-]+\+)?(?:json|xml|yaml)|json-seq|x-ndjson|ndjson|jsonl|x-yaml|(?:x-)?javascript|ecmascript|x-www-form-urlencoded|graphql|sql|toml)$/;

/** Checks whether a media type is none of texts. */
export const isMediaType = (type: string): boolean =>
  (/^(?:image|audio|video|font|model)\//.test(type) && !type.endsWith('+xml')) ||
  (type.startsWith('application/') && !TEXTS.test(type));
