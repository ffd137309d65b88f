import type { Json, JsonObject } from '../../../base/json/json.ts';
import { issuesText } from '../../../base/schemas/schema.ts';
import type { EventOf, LiveEvent } from '../../../contracts/events/event.ts';
import { OpenWork } from '../../../events/progress/open-work.ts';
import { jsonSchemaIssues } from '../../../tools/schemas/json-schema-check.ts';
import type { PausingFold } from '../streams/paused-texts.ts';
import type { AnswerDraft, AnswerEnd, AnswerPiece } from './answer-piece.ts';
import { AnswerRequests, findAnswered } from './answer-requests.ts';

/** The part of a run that an answer is made of. */
export interface AnswerPart {
  /** The requests whose answers it follows; empty: it begins with the run. */
  readonly after: ReadonlySet<string>;
  /** False where a `person` of the server answers the requests. */
  readonly pauses: boolean;
  /** True if texts are sent as they come; else the answer alone is sent, whole. */
  readonly streamsText: boolean;
  /** The schema that the client wants the answer to fit, beside that of the agent. */
  readonly schema?: JsonObject | undefined;
}

/** A text of the root's model; one that is whole stays open until it is known if it is the answer. */
interface Block {
  readonly index: number;
  readonly key: string;
  sent: string;
}

type ModelEnd = EventOf<'model.answered' | 'model.discarded' | 'model.interrupted' | 'model.failed'>;

/**
 * Converts a part of a run to one answer of a model: what its root says, what the client is to do, and how it ended.
 *
 * I1  One block is open at a time, each is ended, and the last piece is the end.
 * I2  A part ends where the run did nothing but wait, and the next begins with the answer: the same for a reader of the past.
 */
export class AnswerFold implements PausingFold<AnswerPiece> {
  readonly #part: AnswerPart;
  readonly #work = new OpenWork();
  readonly #requests = new AnswerRequests();
  /** The requests whose answers are still to come. */
  readonly #awaited: Set<string>;
  #root = '';
  #open: Block | undefined;
  #blocks = 0;
  #lastText = '';
  #usage = { input: 0, cached: 0, output: 0 };
  #before = { input: 0, cached: 0, output: 0 };
  #seq = 0;
  #at = 0;
  #isOver = false;

  constructor(part: AnswerPart) {
    this.#part = part;
    this.#awaited = new Set(part.after);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isWaiting(): boolean {
    return this.#part.pauses && !this.#isOver && !this.#isSilent && this.#work.isWaiting;
  }

  take(event: LiveEvent): readonly AnswerPiece[] {
    if (this.#isOver) return [];
    const answered = findAnswered(event);
    // The run was waiting: what follows is the next part.
    if (answered !== undefined && this.isWaiting) return this.pause();
    if ('seq' in event) this.#seq = event.seq;
    this.#at = event.at;
    this.#work.take(event);
    if (event.type === 'run.started' && this.#root === '') this.#root = event.path;
    this.#requests.take(event, this.#root);
    if (this.#isSilent) return this.#numbered(this.#pass(event, answered));
    return this.#numbered(this.#drafts(event));
  }

  /** Ends the answer as its run waits. */
  pause(): readonly AnswerPiece[] {
    const calls = this.#requests.calls(this.#root);
    const requests = this.#requests.people(this.#root);
    const question = calls.length === 0 ? requests.find(({ kind }) => kind === 'question') : undefined;
    const said = question === undefined ? [] : this.#said(question.text);
    const block = this.#open;
    return this.#end({
      drafts: [...said, ...this.#close({ isAnswer: calls.length === 0 })],
      end: { kind: 'waiting', text: block?.sent ?? '', block: block?.index, calls, requests },
    });
  }

  /** The events ended before the run did. */
  break(): readonly AnswerPiece[] {
    return this.#isOver
      ? []
      : this.#end({ drafts: this.#close({ isWhole: false }), end: { kind: 'left', text: '' } });
  }

  get #isSilent(): boolean {
    return this.#awaited.size > 0;
  }

  #numbered(drafts: readonly AnswerDraft[]): readonly AnswerPiece[] {
    return drafts.map((draft) => ({ ...draft, seq: this.#seq }));
  }

  /** Leaves out the events before the part, but for what they used. */
  #pass(event: LiveEvent, answered: string | undefined): readonly AnswerDraft[] {
    if (answered !== undefined) this.#awaited.delete(answered);
    if (event.type === 'model.answered') this.#use(event, this.#before);
    if (event.type === 'run.ended') {
      this.#awaited.clear();
      return [{ type: 'began', at: event.at }, ...this.#ended(event)];
    }
    return this.#isSilent ? [] : [{ type: 'began', at: event.at }];
  }

  #drafts(event: LiveEvent): readonly AnswerDraft[] {
    if (event.type === 'model.answered') this.#use(event, this.#usage);
    if (event.path !== this.#root) return [];
    switch (event.type) {
      case 'run.started':
        return [{ type: 'began', at: event.at }];
      case 'model.delta':
        return this.#delta(event);
      case 'model.answered':
      case 'model.discarded':
      case 'model.interrupted':
      case 'model.failed':
        return this.#modelEnd(event);
      case 'run.ended':
        return this.#ended(event);
      default:
        return [];
    }
  }

  #use({ usage }: EventOf<'model.answered'>, sum: { input: number; cached: number; output: number }): void {
    sum.input += usage.input;
    sum.cached += usage.cached ?? 0;
    sum.output += usage.output;
  }

  #delta({ key, offset, delta }: EventOf<'model.delta'>): readonly AnswerDraft[] {
    if (delta.type !== 'text' || delta.text === '' || !this.#part.streamsText) return [];
    const sent = this.#open?.key === key ? this.#open.sent.length : 0;
    // A slow reader has missed a piece: the rest comes with the whole answer. One that joins again is sent what it has.
    if (offset !== undefined && offset !== sent) return [];
    return this.#say(key, delta.text);
  }

  #modelEnd(event: ModelEnd): readonly AnswerDraft[] {
    const { key } = event;
    const isOfIt = this.#open?.key === key;
    // Of an answer that broke off, nothing is one.
    if (event.type !== 'model.answered') return isOfIt ? this.#close({ isWhole: false }) : [];
    const { text } = event;
    if (text === '') return [];
    this.#lastText = text;
    if (!this.#part.streamsText) return [];
    const sent = isOfIt ? (this.#open?.sent ?? '') : '';
    if (text === sent) return [];
    if (text.startsWith(sent)) return this.#say(key, text.slice(sent.length));
    return [...this.#close({ isWhole: false }), ...this.#say(key, text)];
  }

  #say(key: string, delta: string): readonly AnswerDraft[] {
    const isNew = this.#open?.key !== key;
    const before = isNew ? this.#close({}) : [];
    if (isNew) {
      this.#open = { index: this.#blocks, key, sent: '' };
      this.#blocks += 1;
    }
    const block = this.#open;
    if (block === undefined) return before;
    block.sent += delta;
    return [...before, { type: 'text', block: block.index, delta, sent: block.sent.length }];
  }

  /** A text that is said whole, unless it was said last. */
  #said(text: string): readonly AnswerDraft[] {
    return text === '' || this.#open?.sent === text ? [] : this.#say(`whole ${this.#blocks}`, text);
  }

  #close({
    isAnswer = false,
    isWhole = true,
  }: {
    isAnswer?: boolean;
    isWhole?: boolean;
  }): readonly AnswerDraft[] {
    const block = this.#open;
    this.#open = undefined;
    if (block === undefined) return [];
    return [{ type: 'said', block: block.index, text: block.sent, isAnswer, isWhole }];
  }

  #ended(event: EventOf<'run.ended'>): readonly AnswerDraft[] {
    const { input, cached, output } = this.#before;
    const { totals } = event;
    this.#usage = {
      input: totals.inputTokens - input,
      cached: totals.cachedTokens - cached,
      output: totals.outputTokens - output,
    };
    const { kind, text, error } = this.#outcome(event);
    this.#isOver = true;
    const isSaid = kind === 'answered' || kind === 'limited';
    const said = isSaid ? this.#said(text) : this.#close({});
    const block = this.#open?.index;
    return [
      ...said,
      ...this.#close({ isAnswer: true }),
      { type: 'ended', end: this.#endOf({ kind, text, block, error }) },
    ];
  }

  #outcome(event: EventOf<'run.ended'>): Pick<AnswerEnd, 'kind' | 'text' | 'error'> {
    const { status, stopReason, output, error } = event;
    if (status === 'failed') return { kind: 'failed', text: '', error: error ?? UNKNOWN };
    if (stopReason.kind === 'aborted') {
      const message = `The run was aborted: ${textIn(stopReason['reason'])}`;
      return { kind: 'aborted', text: '', error: { code: 'run.aborted', message } };
    }
    if (stopReason.kind === 'refused') return { kind: 'refused', text: textIn(stopReason['text']) };
    if (stopReason.kind === 'rejected' || stopReason.kind === 'criticStopped')
      return { kind: 'withheld', text: '' };
    const { schema } = this.#part;
    const issues = schema === undefined || output === undefined ? [] : jsonSchemaIssues(schema, output);
    if (issues.length > 0) {
      const problems = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
      const message = `The agent's answer does not fit the schema of the request: ${issuesText(problems)}`;
      return { kind: 'failed', text: '', error: { code: 'output.invalid', message } };
    }
    const text = output === undefined ? (this.#part.streamsText ? this.#lastText : '') : outputText(output);
    const isAnswer = status === 'completed' || output !== undefined;
    return { kind: isAnswer ? 'answered' : 'limited', text };
  }

  #end({
    drafts,
    end,
  }: {
    readonly drafts: readonly AnswerDraft[];
    readonly end: Pick<AnswerEnd, 'kind' | 'text'> & Partial<AnswerEnd>;
  }): readonly AnswerPiece[] {
    this.#isOver = true;
    return this.#numbered([...drafts, { type: 'ended', end: this.#endOf(end) }]);
  }

  #endOf(end: Pick<AnswerEnd, 'kind' | 'text'> & Partial<AnswerEnd>): AnswerEnd {
    return { calls: [], requests: [], usage: { ...this.#usage }, at: this.#at, ...end };
  }
}

const UNKNOWN = { code: 'internal', message: 'The run failed' } as const;

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** An output as the text of a message: JSON, unless it is a text. */
export const outputText = (output: Json): string =>
  typeof output === 'string' ? output : JSON.stringify(output);
