import type { ModelChoice } from '../../../contracts/models/model.ts';
import { oneLine } from '../../../base/text/printable.ts';
import type { Secrets } from '../../../contracts/secrets/redactor.ts';
import type { NamedPlace } from '../../../contracts/secrets/redact-places.ts';
import { redactPlaces } from '../../../contracts/secrets/redact-places.ts';
import { Redactor } from '../../../contracts/secrets/redactor.ts';
import type { TrustedGuard } from '../consult-guard.ts';
import type { Guard, GuardVerdict } from '../guard.ts';
import { inOrder, namesOf } from './found-places.ts';
import { injectionsIn } from './injection.ts';
import type { PersonalKind } from './personal-data.ts';
import { personalData, personalKinds } from './personal-data.ts';
import { wordPattern } from './topic.ts';

/** Options of every built-in guard. */
export interface BuiltInOptions extends Partial<Pick<Guard, 'name' | 'on' | 'timing' | 'timeoutMs'>> {
  /** The action on a text that it objects to. */
  readonly action?: GuardVerdict['action'] | undefined;
  /** The text in its place, for `action: 'replace'`. */
  readonly text?: string | undefined;
}

/** Personal data: e-mail addresses, phone numbers, numbers of cards, accounts and social security, IP addresses. Default: redacted everywhere. */
export interface PiiGuard extends BuiltInOptions {
  readonly use: 'pii';
  /** Default: all. */
  readonly kinds?: readonly PersonalKind[] | undefined;
}

/** Keys and passwords of public forms, and known values. Default: redacted everywhere. */
export interface SecretsGuard extends BuiltInOptions {
  readonly use: 'secrets';
  /** Values by name, in addition. */
  readonly values?: Secrets | undefined;
}

/** Text that speaks to the model: attacks of published classes. Default: blocked in what tools return. */
export interface InjectionGuard extends BuiltInOptions {
  readonly use: 'injection';
}

/** Topics that are refused. Default: blocked in inputs and outputs. */
export interface TopicGuard extends BuiltInOptions {
  readonly use: 'topic';
  /** Words and phrases, in any case; `*` stands for up to 30 letters. */
  readonly words?: readonly string[] | undefined;
  /** Patterns, whose repetitions have bounds: `{0,40}` in place of `*`. */
  readonly patterns?: readonly RegExp[] | undefined;
}

/** A model that judges by a criterion, never the one that it judges. Default: blocks outputs that do not meet it, within 30,000 ms. */
export interface JudgeGuard extends BuiltInOptions {
  readonly use: 'judge';
  readonly model: ModelChoice;
  /** A statement that every text has to satisfy. */
  readonly criterion: string;
}

/** A built-in guard. */
export type BuiltInGuard = PiiGuard | SecretsGuard | InjectionGuard | TopicGuard | JudgeGuard;

const EVERYWHERE = ['input', 'output', 'tool.input', 'tool.output'] as const;

/** Makes a guard that looks for places in a text. */
const placeGuard = (
  { name, on = EVERYWHERE, action = 'redact', text, timing, timeoutMs }: BuiltInOptions,
  use: string,
  find: (text: string) => readonly NamedPlace[],
  bySentence: boolean,
  reasonFor: (places: readonly NamedPlace[], text: string) => string = namesOf,
): TrustedGuard => ({
  name: name ?? use,
  on,
  timing,
  timeoutMs,
  bySentence,
  isTrusted: true,
  check: (given) => {
    const places = find(given);
    if (places.length === 0) return undefined;
    const shown = action === 'redact' ? redactPlaces(given, places) : text;
    return { action, reason: reasonFor(places, given), ...textFor(action, shown) };
  },
});

const textFor = (action: GuardVerdict['action'], text: string | undefined): Pick<GuardVerdict, 'text'> =>
  action === 'redact' || action === 'replace' ? { text } : {};

export const piiGuard = ({ kinds = personalKinds, ...options }: PiiGuard): TrustedGuard =>
  placeGuard(options, 'pii', (text) => personalData(text, kinds), true);

export const secretsGuard = ({ values = {}, ...options }: SecretsGuard): TrustedGuard => {
  const redactor = new Redactor(values);
  // A private key has many lines.
  return placeGuard(options, 'secrets', (text) => redactor.find(text), false);
};

export const injectionGuard = ({
  name = 'injection',
  on = ['tool.output'],
  action = 'block',
  text = '[a text that speaks to the model was left out]',
  timing,
  timeoutMs,
}: InjectionGuard): TrustedGuard => ({
  name,
  on,
  timing,
  timeoutMs,
  isTrusted: true,
  check: (given) => {
    const found = injectionsIn(given);
    return found.length === 0 ? undefined : { action, reason: found.join(', '), ...textFor(action, text) };
  },
});

/** Places whose topics are named in a reason, and the characters that they take there. */
const MOST_NAMED = 20;
const LONGEST_NAMES = 120;

export const topicGuard = ({ words = [], patterns = [], ...options }: TopicGuard): TrustedGuard => {
  const all = [
    ...(words.length === 0 ? [] : [wordPattern(words)]),
    ...patterns.map(({ source, flags }) => new RegExp(source, `${flags.replaceAll(/[gy]/g, '')}g`)),
  ];
  const name = options.name ?? 'topic';
  const find = (text: string): readonly NamedPlace[] =>
    inOrder(
      all.flatMap((pattern) =>
        Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({
          start: index,
          end: index + found.length,
          name,
        })).filter(({ start, end }) => end > start),
      ),
    );
  /** Which of the guard's own words and patterns were found: never how the text writes them. */
  const reasonFor = (places: readonly NamedPlace[], text: string): string => {
    const said = places.slice(0, MOST_NAMED).map(({ start, end }) => text.slice(start, end));
    const named = [
      ...words.filter((word) => said.some((each) => wordPattern([word]).test(each))),
      ...patterns
        .filter(({ source, flags }) =>
          said.some((each) => new RegExp(source, flags.replaceAll(/[gy]/g, '')).test(each)),
        )
        .map(String),
    ];
    const topics = named.length === 0 ? '' : `: ${oneLine(named.join(', '), LONGEST_NAMES)}`;
    return `${namesOf(places)}${topics}`;
  };
  const isInSentences = patterns.length === 0 && !words.some((word) => /[.!?…]/.test(word));
  return placeGuard(
    { on: ['input', 'output'], action: 'block', ...options },
    'topic',
    find,
    isInSentences,
    reasonFor,
  );
};
