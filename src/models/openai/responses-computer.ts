import type { ResponseComputerToolCall, ResponseInputItem } from 'openai/resources/responses/responses';
import { isJsonObject, type Json, toJson } from '../../base/json/json.ts';
import type { ToolTurn } from '../../contracts/conversations/transcript.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { ModelRequest } from '../../contracts/models/model.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import { isLink } from '../../contracts/content/part.ts';
import { sentParts } from '../wire/conversation.ts';
import type { MediaBytes } from '../wire/media-bytes.ts';
import { nameOfTheirs, toolsRunBy } from '../wire/provider-tools.ts';
import { isInputItem } from './responses-replay.ts';

/** The name of the tool that carries out what OpenAI's model does to a computer: that by which the request defines it. */
export const computerName = (request: ModelRequest): string =>
  toolsRunBy('openai', request)
    .map(nameOfTheirs)
    .find((name) => name.startsWith('computer')) ?? 'computer';

/** The input of such a call: its actions in their order, and what is to be looked at before they are carried out. */
export const computerInput = ({
  action,
  actions = action === undefined ? [] : [action],
  pending_safety_checks: checks,
}: Pick<ResponseComputerToolCall, 'action' | 'actions' | 'pending_safety_checks'>): Json =>
  toJson({ actions, ...(checks?.length > 0 ? { pending_safety_checks: checks } : {}) });

/** The item that a call stands for, as it came; undefined for any other call. */
export const computerCallOf = ({ origin }: ToolCall): ResponseComputerToolCall | undefined => {
  const item = origin?.fields?.['computer'];
  return isJsonObject(item) && isInputItem(item) && item.type === 'computer_call' ? item : undefined;
};

/**
 * The results of a conversation's calls of a computer. The API takes a screenshot and nothing else: a call that failed or was denied has that of
 * the call before it, with its words as a message.
 *
 * A call that was made is approved, its safety checks included: these are acknowledged.
 */
export class Screen {
  readonly #media: Pick<MediaBytes, 'urlOf'>;
  #shown: string | undefined;

  constructor(media: Pick<MediaBytes, 'urlOf'>) {
    this.#media = media;
  }

  /** @throws {TroupeError} `model.bad-request` where there is no picture yet. */
  resultItems(call: ResponseComputerToolCall, result: ToolTurn): readonly ResponseInputItem[] {
    const picture = sentParts(result.parts ?? []).find(({ type }) => type === 'image');
    if (picture !== undefined && picture.type !== 'text')
      this.#shown = isLink(picture) ? picture.url : this.#media.urlOf(picture);
    if (this.#shown === undefined) throw pictureless(result);
    const output: ResponseInputItem = {
      type: 'computer_call_output',
      call_id: call.call_id,
      output: { type: 'computer_screenshot', image_url: this.#shown },
      ...(result.failed === true || call.pending_safety_checks.length === 0
        ? {}
        : { acknowledged_safety_checks: call.pending_safety_checks }),
    };
    const { text } = result;
    return picture !== undefined || text === '' ? [output] : [output, { role: 'user', content: text }];
  }
}

const pictureless = ({ tool, text }: ToolTurn): TroupeError =>
  new TroupeError(
    'model.bad-request',
    `Cannot send the result of '${tool}' as it has no picture: OpenAI takes a screenshot alone, as an image part (found: ${JSON.stringify(text.slice(0, 100))})`,
  );
