import { countsFor } from '../../contracts/people/approval-terms.ts';
import type { OpenRequest } from '../../contracts/people/request.ts';
import { nameOf } from '../../events/progress/activity.ts';
import { oneLine } from '../../base/text/printable.ts';
import { approvalWords, asksForName } from '../../inspect/drawing/approval-words.ts';
import type { Notice } from '../words/notice-lines.ts';

/** Number of characters shown of a request's id: enough to distinguish it within its run. */
const SHOWN_ID = 12;

/** Returns the name of a request, for runs with several. */
export const requestName = ({ id }: OpenRequest): string => oneLine(id.slice(0, SHOWN_ID));

/** Describes a request: `clerk, send: Sending a letter to Ada`. */
export const requestWords = (request: OpenRequest): string => {
  const name = nameOf(request.path);
  return request.kind === 'question'
    ? `${name} asks: ${oneLine(request.question)}`
    : [`${name}, ${oneLine(request.tool, 80)}: ${oneLine(request.description)}`, ...approvalWords(request)]
        .map((each) => oneLine(each))
        .join(' · ');
};

/** The number of people who have approved, where several have to: `1 of 2`; of several rules that of each. */
export const approvalsSoFar = (request: OpenRequest): string => {
  if (request.kind === 'question' || !asksForName(request)) return '';
  const { approvedBy = [], also = [] } = request;
  const rules = [request, ...also].filter(({ by, approvals = 1 }) => by !== undefined || approvals > 1);
  const sums = rules.map((rule) => {
    const { approvals = 1, rule: name } = rule;
    const given = Math.min(approvals, approvedBy.filter((person) => countsFor(person, rule)).length);
    const whose = name === undefined || rules.length === 1 ? '' : ` for ${oneLine(name, 80)}`;
    return { approvals, words: `${given} of ${approvals}${whose}` };
  });
  return sums.length === 1 && sums[0]?.approvals === 1 ? '' : sums.map(({ words }) => words).join(', ');
};

const WANTED = {
  question: 'an answer',
  approval: 'a yes',
  ambiguous: 'a decision, as it may already have been executed',
} as const;

/** The command that answers it: `troupe approve 3f9a 81c0`. */
const answeringCommand = (
  request: OpenRequest,
  runId: string,
  isOnlyOne: boolean,
  command: string,
): string => {
  const name = requestName(request);
  if (request.kind === 'question')
    return `${command} answer ${runId} TEXT${isOnlyOne ? '' : ` --request ${name}`}`;
  const who = asksForName(request)
    ? ` --by NAME${request.by === undefined ? '' : ` --role ${oneLine(request.by)}`}`
    : '';
  return `${command} approve ${runId}${isOnlyOne ? '' : ` ${name}`}${who}`;
};

/** A notice for each request that waits: what for, and by which command it is answered. */
export const waitingNotices = (
  open: readonly OpenRequest[],
  runId: string,
  option: string,
  command: string,
): readonly Notice[] =>
  open.map((request) => {
    const isOnlyOne = open.filter(({ kind }) => isAnswer(kind) === isAnswer(request.kind)).length === 1;
    const soFar = approvalsSoFar(request);
    return {
      words: `Waits for ${WANTED[request.kind]}${soFar === '' ? '' : ` (${soFar})`}: ${requestWords(request)}`,
      command: `${answeringCommand(request, runId, isOnlyOne, command)}${option}`,
    };
  });

/** Describes a request whose answer its run has not read yet. */
export const answeredWords = (request: OpenRequest): string =>
  `Answered, and not read by the run yet: ${requestWords(request)}`;

const isAnswer = (kind: OpenRequest['kind']): boolean => kind === 'question';
