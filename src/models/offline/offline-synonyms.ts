import { stem } from '../../base/text/stem.ts';

/** Groups of synonyms in plain English and technical writing. */
const GROUPS = [
  'maximum max limit most upper',
  'minimum min least lower',
  'add plus sum total addition',
  'subtract minus difference less',
  'multiply times product multiplied',
  'divide divided quotient division',
  'remove delete drop discard erase strip',
  'create make build construct generate new',
  'convert transform translate turn change',
  'begin start launch initial',
  'end stop finish terminate close',
  'error failure fault exception fail throw',
  'retry repeat attempt try again',
  'wait delay pause timeout sleep',
  'long duration time interval',
  'amount number count quantity',
  'fast quick speed performance rapid',
  'option setting parameter argument flag configuration',
  'allow permit enable support accept',
  'forbid refuse disable deny prevent disallow',
  'return give yield result output',
  'install setup installation',
  'default standard initial',
  'folder directory',
  'picture image photo',
  'colour color',
  'company firm organisation organization',
  'holiday vacation leave',
  'pay salary wage',
  'cost price fee',
  'purchase buy order',
  'big large size',
  'old age',
  'need require necessary must',
  'recommend suggest advise',
  'compare difference versus',
  'email mail message',
  'search find lookup query',
  'run execute launch',
];

const relatives = new Map<string, Map<string, string>>();
for (const group of GROUPS) {
  const words = group.split(' ');
  for (const word of words) {
    const known = relatives.get(stem(word)) ?? new Map<string, string>();
    for (const other of words) if (other !== word) known.set(stem(other), other);
    relatives.set(stem(word), known);
  }
}

const NONE: readonly string[] = [];
const stems = new Map([...relatives].map(([word, others]) => [word, [...others.keys()]]));

/** Stems that mean nearly the same as a stem. */
export const relatedStems = (word: string): readonly string[] => stems.get(word) ?? NONE;

/** Returns near synonyms of a word. */
export const relatedWords = (word: string): readonly string[] => [
  ...(relatives.get(stem(word))?.values() ?? NONE),
];
