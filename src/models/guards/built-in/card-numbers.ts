import type { NamedPlace } from '../../../contracts/secrets/redact-places.ts';

/** Groups of digits with at most one space or hyphen between them. */
const RUN = /(?<![\d.,])\d+(?:[ -]\d+)*(?![\d]|[.,]\d)/g;
/** Groups as a card has them, with another character between them. */
const GROUPED = /(?<![\w.,])\d{4}[.·_–/]\d{4,6}[.·_–/]\d{4,5}(?:[.·_–/]\d{1,7})?(?!\w|[.,]\d)/g;
const FEWEST = 13;
const MOST = 19;

/** First digits of the card networks that ISO/IEC 7812 lists, with the lengths of their numbers. */
const NETWORKS: readonly (readonly [begins: RegExp, lengths: readonly number[]])[] = [
  [/^4/, [13, 16, 18, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:6011|64[4-9]|65)/, [16, 17, 18, 19]],
  [/^35(?:2[89]|[3-8])/, [16, 17, 18, 19]],
  [/^3(?:0[0-5]|[689])/, [14, 15, 16, 17, 18, 19]],
  [/^(?:62|81)/, [16, 17, 18, 19]],
  [/^(?:50|5[6-9]|6[0-9])/, [16, 18, 19]],
];

/** The numbers of payment cards in a text: the digits of a network, whole groups of them, that pass the check of Luhn. */
export const cardNumbers = (text: string): readonly NamedPlace[] =>
  [...text.matchAll(RUN), ...text.matchAll(GROUPED)].flatMap((match) => cardsInRun(match[0], match.index));

const cardsInRun = (run: string, at: number): readonly NamedPlace[] => {
  const groups = Array.from(run.matchAll(/\d+/g), ({ 0: digits, index }) => ({ digits, index }));
  const found: NamedPlace[] = [];
  for (let first = 0; first < groups.length; first += 1) {
    let digits = '';
    for (let last = first; last < groups.length && digits.length < MOST; last += 1) {
      const group = groups[last];
      if (group === undefined) break;
      digits += group.digits;
      if (digits.length < FEWEST || digits.length > MOST || !isCard(digits)) continue;
      const end = group.index + group.digits.length;
      found.push({ start: at + (groups[first]?.index ?? 0), end: at + end, name: 'card number' });
      first = last;
      break;
    }
  }
  return found;
};

const isCard = (digits: string): boolean =>
  !/^(\d)\1+$/.test(digits) &&
  NETWORKS.some(([begins, lengths]) => begins.test(digits) && lengths.includes(digits.length)) &&
  passesLuhn(digits);

/** The check digit of ISO/IEC 7812-1, annex B. */
const passesLuhn = (digits: string): boolean => {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const counted = index % 2 === 1 ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
};
