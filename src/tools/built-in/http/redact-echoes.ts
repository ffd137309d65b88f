/** Headers by their names. */
export type HeaderFields = Readonly<Record<string, string>>;

/** Shorter values are no secrets, and would tear words apart. */
const LEAST_SECRET = 8;

/** Redacts what authenticated a request in its answer: some servers repeat the headers that they were sent. */
export const redactEchoes = (text: string, secrets: HeaderFields): string =>
  Object.entries(secrets)
    .flatMap(([name, value]) => [value, ...value.split(/\s+/)].map((part) => ({ name, part })))
    .filter(({ part }) => part.length >= LEAST_SECRET)
    .reduce((shown, { name, part }) => shown.replaceAll(part, () => `[redacted ${name}]`), text);
