import { trimEndOf } from '../../base/text/trim-end.ts';
import { contentWords, flat, wordsOf } from './offline-text.ts';

/**
 * The parts of a compound request, each readable by itself; a simple one is its only part.
 *
 * Parts are list items, sentences that ask, and clauses joined by "and", "then" or ";" that begin a question or an
 * order of their own. Where a part only points at another ("… and how is it stopped?"), the whole is named in it.
 */
export const partsOf = (request: string): string[] => {
  const listed = request.split('\n').flatMap((line) => /^\s*(?:[-*•]|\d+[.)])\s(.*)$/.exec(line)?.[1] ?? []);
  if (listed.length > 1) return listed.map((item) => flat(item));
  const clauses = flat(request)
    .split(/(?<=[?;]) | ?; |(?<=[.!]) (?=\p{Lu})/u)
    .flatMap((sentence) => sentence.split(JOINT))
    .map((clause) => trimEndOf(clause.replace(/^(?:and|then|also) /i, ''), ' ,;'))
    .filter((clause) => contentWords(clause).length > 0);
  // What neither asks nor orders belongs to what does before it.
  const asking = clauses.reduce<string[]>((parts, clause) => {
    if (parts.length > 0 && !STANDS.test(clause)) parts.push(`${parts.pop() ?? ''} ${clause}`);
    else parts.push(clause);
    return parts;
  }, []);
  if (asking.length < 2) return [request.trim()];
  return nameSubjects(asking);
};

/** The parts as work for several: a comparison is two pieces of work, though it is one question. */
export const workIn = (request: string): string[] => nameSubjects(partsOf(request).flatMap(sides));

/** Adds the subject of the first part to parts that only refer to it. */
const nameSubjects = (parts: readonly string[]): string[] => {
  const [first = ''] = parts;
  return parts.map((part, index) =>
    index > 0 && isPointing(part) && !part.includes('(about: ') ? `${part} (about: ${first})` : part,
  );
};

const ASKS = 'what|how|why|when|where|which|who|whose|whether|is|are|does|do|did|can|could|should|will';
const ORDERS =
  'explain|describe|list|compare|find|tell|summari[sz]e|give|name|show|send|create|convert|set|write|calculate|add|book';

const STANDS = new RegExp(
  `\\?$|^(?:please |(?:in|for|to|at|on) (?:what|which) )?(?:${ASKS}|${ORDERS})\\b`,
  'i',
);

/** Between two independent clauses, on one line with single spaces. */
const JOINT = new RegExp(
  `,? (?:and|then|and then|as well as|but) (?=(?:also |then )?(?:(?:in |for |to |at )?(?:${ASKS}|${ORDERS}))\\b)|, (?=(?:${ASKS.replace('is|are|does|do|did|can|could|should|will', 'how')})\\b)`,
  'i',
);

const COMPARES = /\b(?:compare|contrast|differences? between|differ between) /i;
const AGAINST = / (?:and|with|to|versus|vs\.?) /i;
const ASPECT = / (?:in terms of|regarding|with respect to|by|on) \S/i;

/** "Compare A and B" and "the difference between A and B" ask about A and about B. */
const sides = (clause: string): string[] => {
  const line = flat(clause);
  const compared = COMPARES.exec(line);
  if (compared === null) return [clause];
  const both = line.slice(compared.index + compared[0].length);
  const between = AGAINST.exec(both);
  if (between === null || between.index === 0) return [clause];
  const left = both.slice(0, between.index);
  const right = trimEndOf(both.slice(between.index + between[0].length), '?.!');
  if (right === '') return [clause];
  // "A and B in terms of C" asks for C of both, and so does "the C of A and B".
  const at = right.search(ASPECT);
  const [name, aspect] = at > 0 ? [right.slice(0, at), right.slice(at)] : [right, ''];
  const of = / of /.test(name) ? '' : (/^.* of (?=\S)/.exec(left)?.[0] ?? '');
  return [`What about ${left}${aspect}?`, `What about ${of}${name}${aspect}?`];
};

const POINTERS = new Set([
  'it',
  'its',
  'they',
  'their',
  'them',
  'this',
  'these',
  'those',
  'he',
  'she',
  'one',
  'ones',
]);

const isPointing = (part: string): boolean =>
  wordsOf(part).some((word) => POINTERS.has(word)) || wordsOf(part).length < 3;

/** Fits `parts` into a number of items: the last ones are joined, or the first repeated. */
export const fitCount = (parts: readonly string[], least: number, most: number): string[] => {
  const kept =
    parts.length <= most
      ? [...parts]
      : [...parts.slice(0, Math.max(0, most - 1)), parts.slice(most - 1).join(' and ')].slice(0, most);
  const [first = ''] = parts;
  while (kept.length < Math.min(least, most))
    kept.push(parts[kept.length % Math.max(1, parts.length)] ?? first);
  return kept;
};
