/** Secrets by the name that stands for them: `{ OPENAI_API_KEY: 'sk-…' }`. */
export type Secrets = Readonly<Record<string, string>>;

/** Shorter values are found everywhere by chance. */
const SHORTEST = 8;

/**
 * The secrets of an environment: the values of variables whose names end in `_KEY`, `_TOKEN`, `_SECRET` or `_PASSWORD`, of 8
 * characters or more.
 *
 * @example
 * secretsIn({ OPENAI_API_KEY: 'sk-123456789', HOME: '/home/ada' }) // => { OPENAI_API_KEY: 'sk-123456789' }
 */
export const secretsIn = (environment: Readonly<Record<string, string | undefined>>): Secrets =>
  Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] =>
        /_(KEY|TOKEN|SECRET|PASSWORD)$/i.test(entry[0]) && (entry[1]?.length ?? 0) >= SHORTEST,
    ),
  );

/**
 * Takes secrets out of a text: each becomes `[redacted NAME]`, also where it stands as JSON has it (twice over, too) or within
 * base64. Takes time in proportion to the text.
 *
 * @example
 * redactor({ API_KEY: 'sk-123456789' })('key=sk-123456789') // => 'key=[redacted API_KEY]'
 */
export const redactor = (secrets: Secrets): ((text: string) => string) => {
  const forms = Object.entries(secrets)
    .filter(([, value]) => value !== '')
    .flatMap(([name, value]) => formsOf(value).map((form) => ({ name, ...form })))
    // A secret that holds another one is the one that is meant.
    .sort((a, b) => b.length - a.length);
  if (forms.length === 0) return (text) => text;
  const pattern = new RegExp(forms.map(({ source }) => `(${source})`).join('|'), 'g');
  return (text) =>
    text.replaceAll(pattern, (_, ...groups: readonly unknown[]) => {
      const index = groups.findIndex((group) => group !== undefined);
      return `[redacted ${forms[index]?.name}]`;
    });
};

interface Form {
  readonly source: string;
  readonly length: number;
}

const formsOf = (value: string): readonly Form[] => {
  const inJson = JSON.stringify(value).slice(1, -1);
  const literal = [value, inJson, JSON.stringify(inJson).slice(1, -1)];
  return [
    ...[...new Set(literal)].map((text) => ({ source: quoted(text), length: text.length })),
    ...base64Of(value),
  ];
};

const quoted = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const DIGIT = '[A-Za-z0-9+/_-]';

/**
 * How a value looks within base64: three ways, by how many bytes stand before it. The digits at its ends that it shares with
 * its neighbours can be any.
 */
const base64Of = (value: string): readonly Form[] => {
  const bytes = new TextEncoder().encode(value);
  return [0, 1, 2].map((before) => {
    const binary = '\0'.repeat(before) + Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
    const first = Math.ceil((before * 8) / 6);
    const bits = (before + bytes.length) * 8;
    const own = btoa(binary).slice(first, Math.floor(bits / 6));
    return {
      source: `${before === 0 ? '' : DIGIT}${asDigits(own)}${bits % 6 === 0 ? '' : `${DIGIT}=*`}`,
      length: own.length,
    };
  });
};

/** Digits of base64, as they are or as addresses have them. */
const asDigits = (digits: string): string => digits.replaceAll('+', '[+-]').replaceAll('/', '[/_]');
