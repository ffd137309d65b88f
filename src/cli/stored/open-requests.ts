import type { LiveEvent } from '../../contracts/event.ts';
import type { Json } from '../../contracts/json.ts';
import { nameOf } from '../../events/activity.ts';
import { oneLine } from '../../events/printable.ts';

/** Something that a run waits for a person to say. */
export type WaitingRequest =
  | {
      readonly kind: 'approval';
      readonly path: string;
      readonly callId: string;
      readonly tool: string;
      readonly input: Json;
      readonly description: string;
      readonly at: number;
    }
  | { readonly kind: 'question'; readonly path: string; readonly question: string; readonly at: number };

/** What a run waits for after one more event, oldest first. Pure. */
export const foldRequests = (
  open: readonly WaitingRequest[],
  event: LiveEvent,
): readonly WaitingRequest[] => {
  const { path, at } = event;
  switch (event.type) {
    case 'tool.approval-requested': {
      const { callId, tool, input, description } = event;
      return [
        ...without(open, path, callId),
        { kind: 'approval', path, callId, tool, input, description, at },
      ];
    }
    case 'tool.approved':
    case 'tool.denied':
    case 'tool.finished':
      return without(open, path, event.callId);
    case 'person.asked':
      return [...open, { kind: 'question', path, question: event.question, at }];
    case 'person.answered': {
      const index = open.findIndex((request) => request.kind === 'question' && request.path === path);
      return index < 0 ? open : open.toSpliced(index, 1);
    }
    case 'run.ended':
      return [];
    default:
      return open;
  }
};

/** How a request is named where a run has several. */
export const requestId = (request: WaitingRequest): string =>
  request.kind === 'question' ? request.path : request.callId;

/** What is waited for, in words: `clerk, send: Sending a letter to Ada`. */
export const requestWords = (request: WaitingRequest): string =>
  request.kind === 'question'
    ? `${nameOf(request.path)} asks: ${oneLine(request.question)}`
    : `${nameOf(request.path)}, ${oneLine(request.tool, 80)}: ${oneLine(request.description)}`;

/** The command that answers it, without its program: `approve 3f9a`. */
export const answeringCommand = ({ kind }: WaitingRequest, runId: string): string =>
  kind === 'question' ? `answer ${runId} TEXT` : `approve ${runId}`;

const without = (
  open: readonly WaitingRequest[],
  path: string,
  callId: string,
): readonly WaitingRequest[] => {
  const isOther = (request: WaitingRequest): boolean =>
    request.kind !== 'approval' || request.path !== path || request.callId !== callId;
  return open.every(isOther) ? open : open.filter(isOther);
};
