import { printableJson } from '../../../base/text/printable.ts';
import { drainingError } from '../runs/run-errors.ts';
import type { AnswerEnd, AnswerPiece } from './answer-piece.ts';
import type { ResponseFacts } from './response-facts.ts';
import type { OutputItem } from './response-object.ts';
import {
  requestItems,
  endedResponse,
  messageItem,
  openResponse,
  outputOf,
  textPart,
} from './response-object.ts';
import { wireErrorOf } from './wire-error.ts';
import type { ResponsePlace } from './wire-ids.ts';

/** Numbers of stream events between two events of the run. */
const SPAN = 10_000_000;
/** Below are events that follow from those of the run; above, pieces of text by the length of the text so far. */
const OPENED = 998;
const TEXT = 1_000;

/**
 * Writes a response as events, by server-sent events.
 *
 * I1  The number of an event follows from the run alone, with gaps: that of a piece of text says how much of it was sent. So a stream
 *     continues after any number, in each process, and texts are given from where they were cut.
 */
export class ResponseStream {
  readonly #facts: ResponseFacts;
  readonly #place: ResponsePlace;
  /** The last number that the client has. */
  readonly #after: number;
  /** The characters that the client has of the text that was open there. */
  #had: number;
  #isOpen: boolean;
  #number = -1;
  #items = 0;
  #block: number | undefined;

  constructor(facts: ResponseFacts, place: ResponsePlace, after = -1) {
    this.#facts = facts;
    this.#place = place;
    this.#after = after;
    const offset = after < 0 ? 0 : after % SPAN;
    this.#isOpen = offset >= OPENED;
    this.#had = Math.max(0, offset - TEXT);
  }

  /** The text of a piece; `''` for one that the client has. */
  textOf(piece: AnswerPiece): string {
    const { seq } = piece;
    switch (piece.type) {
      case 'began': {
        const response = openResponse(this.#facts, 'in_progress');
        return (
          this.#event(seq, { type: 'response.created', response }) +
          this.#event(seq, { type: 'response.in_progress', response })
        );
      }
      case 'text':
        return this.#opened(seq, piece.block) + this.#delta(piece);
      case 'said':
        return this.#said(piece);
      case 'ended':
        return this.#ended(seq, piece.end);
    }
  }

  /** The end of a stream that the server ends before its response: it is fetched, or streamed, by its id later. */
  get farewell(): string {
    const { error } = wireErrorOf(drainingError());
    const { code, message, param } = error;
    return text({ type: 'error', error, code, message, param, sequence_number: this.#number + 1 });
  }

  #opened(seq: number, block: number): string {
    if (this.#block === block) return '';
    this.#block = block;
    const item = messageItem(this.#place, { block, status: 'in_progress' });
    const where = { output_index: this.#items };
    const number = seq * SPAN + OPENED;
    const first = this.#numbered(number, { type: 'response.output_item.added', ...where, item });
    const second = this.#numbered(number + 1, {
      type: 'response.content_part.added',
      item_id: item.id,
      ...where,
      content_index: 0,
      part: textPart(''),
    });
    if (first === '' || !this.#isOpen) return first + second;
    // The client has the beginning of the text that was open, whatever its number is now.
    return this.#after % SPAN === OPENED ? second : '';
  }

  #delta({ seq, block, delta, sent }: Extract<AnswerPiece, { type: 'text' }>): string {
    const number = seq * SPAN + TEXT + sent;
    if (number <= this.#after) {
      this.#number = Math.max(this.#number, number);
      return '';
    }
    const rest = delta.slice(Math.max(0, this.#had - (sent - delta.length)));
    if (rest === '') return '';
    return this.#numbered(number, {
      type: 'response.output_text.delta',
      ...this.#where(block),
      delta: rest,
      logprobs: [],
    });
  }

  #said({ seq, block, text: whole, isAnswer, isWhole }: Extract<AnswerPiece, { type: 'said' }>): string {
    const where = this.#where(block);
    const { output_index: index } = where;
    const status = isWhole ? 'completed' : 'incomplete';
    const item = messageItem(this.#place, { block, text: whole, status, isAnswer });
    this.#items += 1;
    const events = [
      this.#event(seq, { type: 'response.output_text.done', ...where, text: whole, logprobs: [] }),
      this.#event(seq, { type: 'response.content_part.done', ...where, part: textPart(whole) }),
      this.#event(seq, { type: 'response.output_item.done', output_index: index, item }),
    ];
    // What was open at the place that the client has is over.
    if (this.#number > this.#after) {
      this.#isOpen = false;
      this.#had = 0;
    }
    return events.join('');
  }

  #ended(seq: number, end: AnswerEnd): string {
    const items = end.kind === 'refused' ? outputOf(this.#place, end) : requestItems(this.#place, end);
    const events = items.map((item) => this.#item(seq, item));
    const response = endedResponse(this.#facts, this.#place, end);
    // There is no event for a response that was cancelled.
    const type = ENDS[response.status] ?? 'response.failed';
    if (end.kind === 'left') return this.farewell;
    return [...events, this.#event(seq, { type, response })].join('');
  }

  /** An item that is there whole. */
  #item(seq: number, item: OutputItem): string {
    const index = { output_index: this.#items };
    this.#items += 1;
    const where = { item_id: item.id, ...index };
    const { arguments: given, name, type, content } = item;
    const isCall = type === 'function_call';
    const added = { ...item, ...(isCall ? { arguments: '', status: 'in_progress' } : {}) };
    const [part] = Array.isArray(content) ? content : [];
    const pieces: readonly object[] = isCall
      ? [
          { type: 'response.function_call_arguments.delta', ...where, delta: given },
          { type: 'response.function_call_arguments.done', ...where, name, arguments: given },
        ]
      : part === undefined
        ? []
        : refusalPieces(where, part);
    return [
      this.#event(seq, {
        type: 'response.output_item.added',
        ...index,
        item: { ...added, ...(part === undefined ? {} : { content: [] }) },
      }),
      ...pieces.map((each) => this.#event(seq, each)),
      this.#event(seq, { type: 'response.output_item.done', ...index, item }),
    ].join('');
  }

  #where(block: number) {
    const { id } = messageItem(this.#place, { block, status: 'in_progress' });
    return { item_id: id, output_index: this.#items, content_index: 0 };
  }

  /** An event that follows from one of the run. */
  #event(seq: number, event: object): string {
    return this.#numbered(Math.max(this.#number + 1, seq * SPAN), event);
  }

  #numbered(number: number, event: object): string {
    this.#number = Math.max(this.#number, number);
    return number <= this.#after ? '' : text({ ...event, sequence_number: number });
  }
}

const ENDS: Readonly<Record<string, string | undefined>> = {
  completed: 'response.completed',
  incomplete: 'response.incomplete',
};

const refusalPieces = (where: object, part: { readonly refusal?: unknown }): readonly object[] => [
  { type: 'response.content_part.added', ...where, content_index: 0, part: { type: 'refusal', refusal: '' } },
  { type: 'response.refusal.delta', ...where, content_index: 0, delta: part.refusal },
  { type: 'response.refusal.done', ...where, content_index: 0, refusal: part.refusal },
  { type: 'response.content_part.done', ...where, content_index: 0, part },
];

const text = (event: object): string => {
  const type: unknown = Reflect.get(event, 'type');
  return `event: ${String(type)}\ndata: ${printableJson(event)}\n\n`;
};
