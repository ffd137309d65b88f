import { andThen, isThenable } from '../../base/promises/thenable.ts';
import type { History } from '../../base/collections/history.ts';
import { append, emptyHistory, HistoryView } from '../../base/collections/history.ts';
import { isAmong, isTextType } from '../../contracts/content/media-type.ts';
import { takesPart } from '../../contracts/content/content-support.ts';
import type { LinkPart, Part } from '../../contracts/content/part.ts';
import { contentText, isLink, isMedia, partText } from '../../contracts/content/part.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Model } from '../../contracts/models/model.ts';
import type { DeskContent } from '../desk.ts';
import { nameOf } from './model-events.ts';
import type { Sent } from './show-conversation.ts';

/** The calls that this needs of a desk. */
interface ContentDesk {
  readonly content: DeskContent;
}

/**
 * Fits the media of a conversation to a model: what it does not take is converted, or the call is refused before it is made.
 *
 * A conversation without media is looked at once, chunk by chunk, and passed on as it is.
 *
 * @throws (or rejects with) `model.content-refused`
 */
export const fitContent = <Shown extends Pick<Sent, 'history'>>(
  sent: Shown,
  model: Model,
  { content }: ContentDesk,
): Shown | Promise<Shown> => {
  if (!hasMedia(sent.history)) return sent;
  const fitted = content.fittedTo(nameOf(model));
  const turns = new HistoryView(sent.history).map((turn): Turn | Promise<Turn> => {
    const known = fitted.get(turn);
    if (known !== undefined) return known;
    return andThen(fitTurn(turn, model, content), (found) => {
      fitted.set(turn, found);
      return found;
    });
  });
  const rebuilt = (found: readonly Turn[]): Shown => ({
    ...sent,
    history: append<Turn>(emptyHistory(), ...found),
  });
  const isSame = turns.every((turn, index) => turn === new HistoryView(sent.history).at(index));
  if (isSame) return sent;
  return turns.some(isThenable)
    ? Promise.all(turns.map((turn) => Promise.resolve(turn))).then(rebuilt)
    : rebuilt(turns as readonly Turn[]);
};

const fitTurn = (turn: Turn, model: Model, content: DeskContent): Turn | Promise<Turn> => {
  const { parts } = turn;
  // Media that a model made are sent back by its own replay, or as their text.
  if (parts === undefined || turn.role === 'assistant') return turn;
  const isResult = turn.role === 'tool';
  const fits = (part: Part): boolean =>
    !(isMedia(part) || isLink(part)) || (model.takes !== undefined && takesPart(model.takes, part, isResult));
  if (parts.every(fits)) return turn;
  const fitPart = async (part: Part): Promise<readonly Part[]> => {
    if (fits(part)) return [part];
    const found = await convertPart(part, turn, model, content);
    const misfit = found.find((made) => !fits(made));
    return misfit === undefined ? found : refuse(misfit, turn, model);
  };
  return Promise.all(parts.map(fitPart)).then((found) => {
    const fitting = found.flat();
    return { ...turn, text: contentText(fitting), parts: fitting };
  });
};

/** The parts that stand in for one that a model does not take. */
const convertPart = async (
  part: Part,
  turn: Turn,
  model: Model,
  content: DeskContent,
): Promise<readonly Part[]> => {
  if (!isMedia(part)) return refuse(part, turn, model);
  const { convert = {} } = content;
  const converter = Object.entries(convert).find(([type]) => isAmong(part.mediaType, [type]))?.[1];
  if (converter !== undefined) {
    const made = await converter(part, await content.bytesOf(part));
    return content.take(typeof made === 'string' ? [{ type: 'text', text: made }] : made);
  }
  if (!isTextType(part.mediaType)) return refuse(part, turn, model);
  const text = new TextDecoder().decode(await content.bytesOf(part));
  return [{ type: 'text', text: part.name === undefined ? text : `${part.name}:\n${text}` }];
};

/** Refuses the call. A tool that failed ends no run: where a model does not take what it showed, the name stands for it. */
const refuse = (part: Part, turn: Turn, model: Model): readonly Part[] => {
  if (turn.role === 'tool' && turn.failed === true) return [{ type: 'text', text: partText(part) }];
  throw refusal(part, turn, model);
};

const refusal = (part: Part, turn: Turn, model: Model): TroupeError => {
  const place = turn.role === 'tool' ? `the result of '${turn.tool}'` : 'a message';
  const isLinked = isLink(part) && model.takes !== undefined;
  const what = isMedia(part) ? part.mediaType : isLinked ? 'this link' : 'links';
  const todo = isLink(part)
    ? 'give its bytes in place of its address'
    : `give a converter for it (\`content.convert\`), or name a model that takes it`;
  return new TroupeError(
    'model.content-refused',
    `Cannot ask ${nameOf(model)} as it does not take ${what}, found in ${place}: ${partText(part)}. To mend it, ${todo}`,
    { details: detailsOf(part) },
  );
};

const detailsOf = (part: Part): { readonly [field: string]: string } =>
  isMedia(part)
    ? { type: part.type, mediaType: part.mediaType, hash: part.hash }
    : { type: part.type, ...(isLink(part) ? linkDetails(part) : {}) };

const linkDetails = ({ url }: LinkPart): { readonly url: string } => ({ url });

/** Full chunks never change: each list of them is looked at once. */
const known = new WeakMap<readonly (readonly Turn[])[], boolean>();

const hasMedia = ({ full, tail }: History<Turn>): boolean => {
  if (holdsParts(tail)) return true;
  if (full.length === 0) return false;
  const before = known.get(full);
  if (before !== undefined) return before;
  const found = full.some(holdsParts);
  known.set(full, found);
  return found;
};

const holdsParts = (turns: readonly Turn[]): boolean => {
  for (const { parts } of turns) if (parts !== undefined) return true;
  return false;
};
