import type { OpenRequest } from '../../contracts/request.ts';
import { nameOf } from '../../events/activity.ts';
import { oneLine } from '../../events/printable.ts';

/** So much of a request's id is shown: enough to tell it from the others of its run. */
const SHOWN_ID = 12;

/** How a request is named where a run has several. */
export const requestName = ({ id }: OpenRequest): string => oneLine(id.slice(0, SHOWN_ID));

/** What is waited for, and who waits: `a yes: clerk, send: Sending a letter to Ada`. */
export const requestWords = (request: OpenRequest): string => {
  const name = nameOf(request.path);
  switch (request.kind) {
    case 'question':
      return `an answer: ${name} asks: ${oneLine(request.question)}`;
    case 'approval':
      return `a yes: ${name}, ${oneLine(request.tool, 80)}: ${oneLine(request.description)}`;
    case 'ambiguous':
      return `a decision, as it may have been done already: ${name}, ${oneLine(request.tool, 80)}: ${oneLine(request.description)}`;
  }
};

/** The command that answers it: `troupe approve 3f9a 81c0`. */
export const answeringCommand = (request: OpenRequest, runId: string, isOnlyOne: boolean): string => {
  const name = requestName(request);
  if (request.kind === 'question')
    return `troupe answer ${runId} TEXT${isOnlyOne ? '' : ` --request ${name}`}`;
  return `troupe approve ${runId}${isOnlyOne ? '' : ` ${name}`}`;
};

/** A line for each request that waits: what for, and by which command it is answered. */
export const waitingLines = (
  open: readonly OpenRequest[],
  runId: string,
  option: string,
): readonly string[] =>
  open.map((request) => {
    const isOnlyOne = open.filter(({ kind }) => isAnswer(kind) === isAnswer(request.kind)).length === 1;
    return `Waits for ${requestWords(request)} · ${answeringCommand(request, runId, isOnlyOne)}${option}`;
  });

const isAnswer = (kind: OpenRequest['kind']): boolean => kind === 'question';
