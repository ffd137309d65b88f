import { malformedError } from '../wire/provider-stream.ts';
import type { ReaderContext } from '../wire/reader-context.ts';

/** One content block, as far as it has arrived. */
export interface AnthropicBlock {
  readonly type: string;
  /** In the form in which the provider expects it back. */
  readonly content: Readonly<Record<string, unknown>>;
  /** The raw JSON of a call's input. */
  readonly json: string;
  readonly isClosed: boolean;
}

/** Assembles the content blocks of one message, and reports deltas. */
export interface AnthropicBlocks {
  /** Takes blocks that are there from the start. */
  adopt(content: unknown): void;
  start(index: number, block: object): void;
  add(index: number, delta: object): void;
  stop(index: number): void;
  list(): readonly AnthropicBlock[];
}

interface Draft {
  type: string;
  content: Record<string, unknown>;
  json: string;
  isClosed: boolean;
  /** Index of the call, for its deltas; -1 for a block that is not a call of ours. */
  callIndex: number;
}

/**
 * Collects content blocks. Unknown types of blocks and deltas are kept or ignored; an impossible order (a second block
 * at one index, a delta for a block that never started or has ended) is `model.malformed`.
 */
export const anthropicBlocks = ({ who, call, names }: ReaderContext): AnthropicBlocks => {
  const drafts = new Map<number, Draft>();
  let calls = 0;

  const open = (index: number): Draft => {
    const draft = drafts.get(index);
    if (draft === undefined) throw malformedError(who, `there is no content block ${index}`);
    if (draft.isClosed) throw malformedError(who, `content block ${index} went on after its end`);
    return draft;
  };
  const start = (index: number, block: object, isClosed: boolean): void => {
    if (drafts.has(index)) throw malformedError(who, `content block ${index} began twice`);
    const content: Record<string, unknown> = { ...block };
    const type = String(content['type']);
    const callIndex = type === 'tool_use' ? calls++ : -1;
    drafts.set(index, { type, content, json: '', isClosed, callIndex });
    if (callIndex < 0) call.delta({ type: 'progress' });
    else
      call.delta({
        type: 'tool-call',
        index: callIndex,
        name: names.original(String(content['name'])),
        text: '',
      });
  };

  return {
    list: () => [...drafts].sort(([left], [right]) => left - right).map(([, draft]) => draft),
    start: (index, block) => start(index, block, false),
    adopt: (content) => {
      if (!Array.isArray(content)) return;
      for (const [index, block] of content.entries()) {
        if (typeof block === 'object' && block !== null) start(index, block, true);
      }
    },
    add: (index, delta) => {
      const draft = open(index);
      const piece = (name: string): string => String(Reflect.get(delta, name) ?? '');
      const append = (field: string, text: string): void => {
        draft.content[field] =
          `${typeof draft.content[field] === 'string' ? draft.content[field] : ''}${text}`;
      };
      switch (piece('type')) {
        case 'text_delta':
          append('text', piece('text'));
          call.delta({ type: 'text', text: piece('text') });
          return;
        case 'thinking_delta':
          append('thinking', piece('thinking'));
          call.delta({ type: 'reasoning', text: piece('thinking') });
          return;
        case 'input_json_delta':
          draft.json += piece('partial_json');
          if (draft.callIndex < 0) call.delta({ type: 'progress' });
          else call.delta({ type: 'tool-call', index: draft.callIndex, text: piece('partial_json') });
          return;
        case 'signature_delta':
          append('signature', piece('signature'));
          break;
        case 'compaction_delta':
          append('content', piece('content'));
          break;
        case 'citations_delta': {
          const { citations } = draft.content;
          draft.content['citations'] = [
            ...(Array.isArray(citations) ? citations : []),
            Reflect.get(delta, 'citation'),
          ];
          break;
        }
        default:
      }
      call.delta({ type: 'progress' });
    },
    stop: (index) => {
      const draft = open(index);
      draft.isClosed = true;
      call.delta({ type: 'progress' });
      // The input of the provider's own tools is sent back parsed, as if it had come in one piece.
      if (draft.callIndex < 0 && draft.json !== '') draft.content['input'] = parseJson(draft.json);
    },
  };
};

const parseJson = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return { invalid: json };
  }
};
