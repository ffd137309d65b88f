import type { Json } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { append, emptyHistory, HistoryView } from '../../../base/collections/history.ts';
import type { Part } from '../../../contracts/content/part.ts';
import { contentText } from '../../../contracts/content/part.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import type { ModelRequest, ModelSettings } from '../../../contracts/models/model.ts';
import type { WholeRequest } from '../../../runtime/log/sent-requests.ts';
import { editedInput, markIn } from '../edited-input.ts';

/** The texts of a request that may be edited. */
export interface RequestTexts {
  readonly instructions: string;
  /** The last message of a user; absent where there is none. */
  readonly message?: string | undefined;
}

/** The texts in place of those of a request; a text that is absent stays. */
export type RequestEdit = { readonly [Name in keyof RequestTexts]?: string | undefined };

/** The texts of a request that may be edited, as they were sent. */
export const textsOf = ({
  instructions,
  messages,
}: Pick<WholeRequest, 'instructions' | 'messages'>): RequestTexts => {
  const last = messages.findLast(({ turn }) => turn.role === 'user')?.turn;
  return last === undefined ? { instructions } : { instructions, message: textOf(last) };
};

/** The text of a message beside its media. */
const textOf = ({ text, parts }: Turn): string =>
  parts === undefined ? text : contentText(parts.filter(({ type }) => type === 'text'));

/**
 * A recorded request as it is sent to a model, with its texts edited. `shown` are those that were edited, in which secrets are redacted.
 *
 * @throws {TroupeError} `input.invalid` for an edited text in which a mark stands for a secret.
 */
export const editedRequest = (
  recorded: WholeRequest,
  edit: RequestEdit,
  shown: RequestTexts,
  settings: ModelSettings | undefined,
): ModelRequest => {
  const texts = meantTexts(edit, textsOf(recorded), shown);
  const { tools, toolChoice, output } = recorded;
  const place = recorded.messages.findLastIndex(({ turn }) => turn.role === 'user');
  const turns = recorded.messages.map(({ turn }, index) =>
    index === place && texts.message !== undefined && texts.message !== textOf(turn)
      ? withText(turn, texts.message)
      : turn,
  );
  return {
    instructions: texts.instructions,
    messages: new HistoryView(append<Turn>(emptyHistory(), ...turns)),
    tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    output,
    settings: withHeaders(recorded.settings, settings),
  };
};

/** A text that was left as it was shown is what it was. */
const meantTexts = (edit: RequestEdit, sent: RequestTexts, shown: RequestTexts): RequestTexts => {
  const meant = (edited: string | undefined, original: string, seen: string): string => {
    const found = edited === undefined ? undefined : editedInput(edited, original, seen);
    return typeof found === 'string' ? found : original;
  };
  const instructions = meant(edit.instructions, sent.instructions, shown.instructions);
  return sent.message === undefined
    ? { instructions }
    : { instructions, message: meant(edit.message, sent.message, shown.message ?? '') };
};

/** Media stay where they were; of several texts the first one takes all. */
const withText = (turn: Turn, text: string): Turn => {
  if (turn.parts === undefined) return { ...turn, text };
  const place = Math.max(
    0,
    turn.parts.findIndex(({ type }) => type === 'text'),
  );
  const others = (parts: readonly Part[]): readonly Part[] => parts.filter(({ type }) => type !== 'text');
  const parts: readonly Part[] = [
    ...others(turn.parts.slice(0, place)),
    { type: 'text', text },
    ...others(turn.parts.slice(place)),
  ];
  return { ...turn, text: contentText(parts), parts };
};

/** A journal has marks in place of secret headers: the agent has their values. */
const withHeaders = (
  recorded: ModelSettings | undefined,
  own: ModelSettings | undefined,
): ModelSettings | undefined => {
  if (recorded?.headers === undefined) return recorded;
  const headers = Object.entries(recorded.headers).map(([name, value]): [string, string] => [
    name,
    markIn(value) === undefined ? value : (own?.headers?.[name] ?? value),
  ]);
  return { ...recorded, headers: Object.fromEntries(headers) };
};

/** Texts as they came back from being shown. */
export const readTexts = (shown: Json): RequestTexts => {
  const { instructions, message } = isJsonObject(shown) ? shown : {};
  return {
    instructions: typeof instructions === 'string' ? instructions : '',
    ...(typeof message === 'string' ? { message } : {}),
  };
};
