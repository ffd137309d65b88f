import type { Rule, Source } from './architecture.ts';

/** A docstring begins with its subject, or with the verb of what it does: a question word hides both. */
const QUESTION = /^(What|Whatever|Who|Whoever|Whom|Whose|Whether|How|Where|Wherever|Why)\b/;

/** Paraphrases of the field's terms, and the terms to use instead. */
export const paraphrases: readonly (readonly [found: RegExp, instead: string])[] = [
  [/\b(?:go|goes|going|gone|went) through [^.;:`]{0,40}\bagain\b/i, 'replay'],
  [/\btak(?:e|es|en|ing) up\b|\btook up\b/i, 'resume'],
  [/\bcall(?:s|ed|ing)? (?:it |them |that |this )?off\b/i, 'cancel, withdraw'],
  [/\b(?:is|are|was|were|be|being|been) told\b/i, 'is notified, receives'],
  [/\b(?:give|gives|given|giving) away\b/i, 'delegate, disclose'],
  [/\b(?:let|lets|letting) go of\b/i, 'release'],
  [/\bof one's own\b/i, 'its own'],
  [/\b(?:tells|telling|to tell) of\b/i, 'report'],
  [/\bwhoever\b|\bwhomever\b/i, 'the caller, the reader, a process that'],
  [/\b(?:come|comes|came) of (?:it|them|this|that)\b/i, 'its result, its outcome'],
  [/\b(?:begin|begins|began|begun|start|starts|made|makes) anew\b/i, 'restart, repeat'],
  [/\bof its own accord\b/i, 'by itself'],
  [/\b(?:keep|keeps|kept) back\b/i, 'defer'],
  [/\blooks? whether\b/i, 'check'],
  [/\bso many\b/i, 'the number of'],
  [/\b(?:is|are|was|were) no business of\b/i, 'does not concern'],
];

/** Texts that recorded journals contain and replays compare, and words for models: they stay as they were. */
const recorded: readonly string[] = [
  'work that was given away is under way',
  'they are told to you',
  'results are told to you',
  'the format that you were told',
  'You are told when it is done',
  'work that was given away before',
  'You will be told what comes of it',
  'Called off ',
  'Calling off ',
  '`parent` is whoever you work for.',
];

const withoutRecorded = (text: string): string =>
  recorded.reduce((rest, each) => rest.replaceAll(each, ''), text);

const inOneLine = (text: string): string => text.replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s*/g, ' ');

export const offencesIn = ({ path, docstrings, text }: Source): string[] => {
  const prose = inOneLine(withoutRecorded(text));
  return [
    ...docstrings
      .filter((first) => QUESTION.test(first))
      .map((first) => `${path}: a docstring begins with its subject, not with a question word: ${first}`),
    ...paraphrases.flatMap(([found, instead]) => {
      const [match] = found.exec(prose) ?? [];
      return match === undefined ? [] : [`${path}: '${match}': say ${instead}`];
    }),
  ];
};

/** Docstrings begin with their subject, and a concept that the field has a term for is called by that term. */
export const proseIsFieldEnglish: Rule = (sources) => sources.flatMap(offencesIn);

/** Paraphrases in a page of the guide, a decision or an example. */
export const paraphrasesIn = (path: string, text: string): string[] =>
  offencesIn({ path, text, docstrings: [], imports: [], exportsEverything: false, lines: 0 });
