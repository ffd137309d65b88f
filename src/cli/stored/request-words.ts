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
    return {
      words: `Waits for ${WANTED[request.kind]}: ${requestWords(request)}`,
      command: `${answeringCommand(request, runId, isOnlyOne, command)}${option}`,
    };
  });

const isAnswer = (kind: OpenRequest['kind']): boolean => kind === 'question';
