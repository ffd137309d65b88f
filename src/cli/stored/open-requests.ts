import type { LiveEvent } from '../../contracts/event.ts';
import type { Json } from '../../contracts/json.ts';
import { nameOf } from '../../events/activity.ts';
import { oneLine } from '../../events/printable.ts';

/** Something that a run waits for a person to say. */
export type WaitingRequest =
  | {
      readonly kind: 'approval';
      readonly id: string;
      readonly path: string;
      readonly callId: string;
      readonly tool: string;
      readonly input: Json;
      readonly description: string;
      readonly at: number;
    }
  | {
      readonly kind: 'question';
      readonly id: string;
      readonly path: string;
      readonly question: string;
      readonly at: number;
    };

/** What a run waits for after one more event, oldest first. Pure. */
export const foldRequests = (
  open: readonly WaitingRequest[],
  event: LiveEvent,
): readonly WaitingRequest[] => {
  const { path, at } = event;
  switch (event.type) {
    case 'tool.approval-requested':
    case 'tool.ambiguous': {
      const { id, callId, tool, input, description: said } = event;
      const description = event.type === 'tool.ambiguous' ? `may have been done already: ${said}` : said;
      return [...open, { kind: 'approval', id, path, callId, tool, input, description, at }];
    }
    case 'person.asked':
      return [...open, { kind: 'question', id: event.id, path, question: event.question, at }];
    case 'tool.approved':
    case 'tool.denied':
    case 'person.answered':
    case 'request.withdrawn':
      return open.some(({ id }) => id === event.id) ? open.filter(({ id }) => id !== event.id) : open;
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
