import type { ApprovalTerms, Approver } from '../../contracts/people/approval-terms.ts';

/** The terms on which a call is approved, for people: `large-payments: more than 1,000 · needs 2 people with the role lead · approved by ada`. */
export const approvalWords = (
  terms: ApprovalTerms & { readonly approvedBy?: readonly Approver[] | undefined },
): readonly string[] => {
  const { approvedBy = [], also = [] } = terms;
  const lines = [terms, ...also].map(ruleWords).filter((line) => line !== '');
  const names = approvedBy.map(({ name }) => name);
  return names.length === 0 ? lines : [...lines, `approved by ${names.join(', ')}`];
};

const ruleWords = ({ rule, reason, by, approvals = 1 }: ApprovalTerms): string => {
  const whom = approvals === 1 ? 'a person' : `${approvals} people`;
  const role = by === undefined ? '' : ` with the role ${by}`;
  const needs = by === undefined && approvals === 1 ? [] : [`needs ${whom}${role}`];
  const why = [rule, reason].filter((each) => each !== undefined).join(': ');
  return [...(why === '' ? [] : [why]), ...needs].join(' · ');
};

/** True if a person has to say who they are to approve it. */
export const asksForName = (terms: ApprovalTerms): boolean =>
  [terms, ...(terms.also ?? [])].some(({ by, approvals = 1 }) => by !== undefined || approvals > 1);
