/** The terms on which a call is approved. A type, as it is part of the JSON of events. */
export type ApprovalTerms = {
  /** The name of the rule that asks. */
  readonly rule?: string | undefined;
  /** The reason for asking, for the person. */
  readonly reason?: string | undefined;
  /** The role that an approving person must have. Default: anybody may. */
  readonly by?: string | undefined;
  /** Number of different people who must approve. Default 1. */
  readonly approvals?: number | undefined;
  /** Time limit for the answer, in ms. Default: that of the run's `requests`. The shorter one counts. */
  readonly expireAfterMs?: number | undefined;
  /** The terms of further rules, which must be met as well. */
  readonly also?: readonly ApprovalTerms[] | undefined;
};

/** A person who answers a request. The caller vouches for them: troupe knows no accounts. */
export type Approver = {
  /** Tells people apart, where several must approve. */
  readonly name: string;
  readonly roles?: readonly string[] | undefined;
};

/** The terms among the fields of a verdict, a request or an event. */
export const termsOf = (given: ApprovalTerms): ApprovalTerms =>
  // Exactly the fields of the type that are there.
  Object.fromEntries(TERMS.flatMap((term) => (given[term] === undefined ? [] : [[term, given[term]]])));

const TERMS = ['rule', 'reason', 'by', 'approvals', 'expireAfterMs', 'also'] as const;

/** The terms of each rule, those of further ones included. */
const eachOf = (given: ApprovalTerms): readonly ApprovalTerms[] => {
  const { also = [], ...terms } = termsOf(given);
  return [terms, ...also.flatMap(eachOf)];
};

/** The terms of two rules, both of which must be met; what both demand is written once. */
export const bothTerms = (first: ApprovalTerms, second: ApprovalTerms): ApprovalTerms => {
  const [head = {}, ...others] = eachOf(first);
  const more = [...others, ...eachOf(second).filter((each) => Object.keys(each).length > 0)];
  return more.length === 0 ? head : { ...head, also: more };
};

/** The shortest of the time limits; undefined if there is none. */
export const shortestExpiry = (terms: ApprovalTerms, limitMs: number | undefined): number | undefined => {
  const shortest = Math.min(
    limitMs ?? Infinity,
    ...eachOf(terms).map((each) => each.expireAfterMs ?? Infinity),
  );
  return shortest === Infinity ? undefined : shortest;
};

/** True if one anonymous yes is not enough. */
export const needsNames = (terms: ApprovalTerms): boolean =>
  eachOf(terms).some(({ by, approvals = 1 }) => by !== undefined || approvals > 1);

/** The terms that these people have not met yet. */
export const unmetTerms = (terms: ApprovalTerms, people: readonly Approver[]): readonly ApprovalTerms[] =>
  eachOf(terms).filter(
    (each) => people.filter((person) => countsFor(person, each)).length < (each.approvals ?? 1),
  );

/** True if an approval by this person counts for the rule. */
export const countsFor = ({ roles = [] }: Approver, { by }: ApprovalTerms): boolean =>
  by === undefined || roles.includes(by);

/** The reason why an approval by this person does not count; undefined if it does. */
export const refusalOfApproval = (
  terms: ApprovalTerms,
  given: readonly Approver[],
  person: Approver | undefined,
): string | undefined => {
  if (!needsNames(terms)) return undefined;
  const unmet = unmetTerms(terms, given);
  const wanted = unmet.map(({ by }) =>
    by === undefined ? 'another person' : `a person with the role '${by}'`,
  );
  const needed = [...new Set(wanted)].join(' and ');
  if (person === undefined) return `it needs ${needed}: say who approves, by \`by\``;
  if (given.some(({ name }) => sameName(name, person.name)))
    return `'${person.name}' has approved it already: it needs ${needed}`;
  if (unmet.some((each) => countsFor(person, each))) return undefined;
  const roles = person.roles ?? [];
  const found = roles.length === 0 ? 'no role' : roles.map((role) => `'${role}'`).join(', ');
  return `it needs ${needed}: '${person.name}' has ${found}`;
};

/** Those who have approved, with one more; nobody counts twice. */
export const withApprover = (given: readonly Approver[], person: Approver): readonly Approver[] =>
  given.some(({ name }) => sameName(name, person.name)) ? given : [...given, person];

/** Names that read the same are one person: spaces, case, compatible letters and what nobody sees make no other. */
const sameName = (one: string, other: string): boolean => plainName(one) === plainName(other);

const plainName = (name: string): string =>
  // What nobody sees goes first: it would keep a letter and its mark from being composed.
  foldCase(name.replaceAll(UNSEEN, '').normalize('NFKC')).normalize('NFKC').replaceAll(BLANKS, ' ').trim();

/** By way of capitals, in which letters are one that have several small forms: ß and ss, ς and σ. */
const foldCase = (text: string): string => text.toUpperCase().toLowerCase();

/** Characters that are drawn as nothing; of control characters, those that are spaces are seen. */
const UNSEEN = /[\p{DI}\p{Cf}]|(?!\s)\p{Cc}/gu;

/** Spaces, and the pattern of Braille without a dot, which is drawn as one. */
const BLANKS = /[\s\u2800]+/gu;
