import { isJsonObject, type JsonObject, toJson } from '../../base/json/json.ts';
import { cutOffError, providerError, type StreamReader } from '../wire/provider-stream.ts';
import type { ReaderContext } from '../wire/reader-context.ts';
import { answerOf, type Facts, isCompaction, lacksReason, type Piece } from './answer.ts';
import type { Vendor } from './vendors.ts';

/** Assembles the parts of a stream of the AI SDK; it is complete with `finish`. */
export const partReader = (context: ReaderContext, vendor: Vendor): StreamReader<unknown> => {
  const { who, call, names } = context;
  const pieces: Piece[] = [];
  /** Texts and reasoning by their ids, which may come again once they have ended. */
  const open = new Map<string, Piece>();
  const calls = new Map<string, Piece>();
  const facts: Facts = { warnings: [], sources: [] };
  let last = 'no part';
  let isFinished = false;
  let isCut = false;

  const add = (piece: Piece): Piece => {
    pieces.push(piece);
    return piece;
  };

  /** Begins a block, or finds the one that goes on: its latest metadata count. */
  const block = (part: JsonObject, type: 'text' | 'reasoning'): Piece => {
    const key = `${type} ${textOf(part, 'id')}`;
    const found = open.get(key) ?? add({ type, text: '' });
    open.set(key, found);
    found.metadata = metadataOf(part) ?? found.metadata;
    return found;
  };

  const callOf = (part: JsonObject, id: string): Piece => {
    const known = calls.get(id);
    if (known !== undefined) return known;
    const name = textOf(part, 'toolName');
    const isProviders = part['providerExecuted'] === true;
    const index = isProviders ? -1 : pieces.filter((piece) => piece.index !== undefined).length;
    const piece = add({
      type: 'tool-call',
      text: '',
      id,
      name,
      ...(isProviders ? { isProviders } : { index }),
    });
    calls.set(id, piece);
    if (isProviders) call.delta({ type: 'progress' });
    else call.delta({ type: 'tool-call', index, name: names.original(name), text: '' });
    return piece;
  };

  const takeCall = (part: JsonObject): void => {
    const piece = callOf(part, textOf(part, 'toolCallId'));
    const input = typeof part['input'] === 'string' ? part['input'] : JSON.stringify(part['input'] ?? {});
    // Not all models tell of the arguments as they arrive.
    if (piece.index !== undefined && piece.text === '' && input !== '')
      call.delta({ type: 'tool-call', index: piece.index, text: input });
    Object.assign(piece, { text: input, isWhole: true, metadata: metadataOf(part) ?? piece.metadata });
  };

  const finish = (part: JsonObject): void => {
    const reason = part['finishReason'];
    facts.finish = isJsonObject(reason) ? textOf(reason, 'unified') : textOf(part, 'finishReason');
    facts.rawFinish = isJsonObject(reason) ? textOf(reason, 'raw') : undefined;
    facts.usage = isJsonObject(part['usage']) ? part['usage'] : {};
    facts.metadata = metadataOf(part);
    isFinished = true;
    isCut = lacksReason(facts, vendor);
  };

  const takePart = (part: JsonObject): void => {
    switch (last) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end': {
        const type = last.startsWith('text') ? 'text' : 'reasoning';
        const piece = block(part, type);
        const text = textOf(part, 'delta');
        piece.text += text;
        call.delta(text === '' || isCompaction(piece) ? { type: 'progress' } : { type, text });
        if (last.endsWith('-end')) open.delete(`${type} ${textOf(part, 'id')}`);
        if (isDiscarded(piece)) pieces.splice(pieces.indexOf(piece), 1);
        return;
      }
      case 'tool-input-start':
        callOf(part, textOf(part, 'id'));
        return;
      case 'tool-input-delta': {
        const piece = calls.get(textOf(part, 'id'));
        const text = textOf(part, 'delta');
        if (piece !== undefined) piece.text += text;
        call.delta(
          piece?.index === undefined ? { type: 'progress' } : { type: 'tool-call', index: piece.index, text },
        );
        return;
      }
      case 'tool-call':
        takeCall(part);
        return;
      case 'tool-approval-request': {
        const asked = pieces.find(
          ({ id, isProviders }) => isProviders === true && id === textOf(part, 'toolCallId'),
        );
        if (asked !== undefined) asked.approvalId = textOf(part, 'approvalId');
        break;
      }
      case 'tool-result':
      case 'file':
      case 'reasoning-file':
      case 'custom':
        add({ type: last, text: '', content: part, metadata: metadataOf(part) });
        break;
      case 'source':
        facts.sources.push(part);
        break;
      case 'stream-start':
        if (Array.isArray(part['warnings'])) facts.warnings.push(...part['warnings']);
        break;
      case 'response-metadata':
        facts.id = textOf(part, 'id') || facts.id;
        facts.model = textOf(part, 'modelId') || facts.model;
        break;
      case 'finish':
        finish(part);
        break;
      case 'ping':
        return;
      default:
    }
    call.delta({ type: 'progress' });
  };

  return {
    take: (given) => {
      if (typeof given !== 'object' || given === null) return;
      last = String(Reflect.get(given, 'type'));
      if (last === 'error') throw errorOf(Reflect.get(given, 'error'));
      const part = toJson(given);
      if (isJsonObject(part)) takePart(part);
    },
    isComplete: () => isFinished && !isCut,
    finish: () => {
      if (!isFinished) throw cutOffError(who, `after ${last}`);
      if (isCut) throw cutOffError(who, 'there was no finish reason');
      return answerOf(pieces, facts, context, vendor);
    },
  };
};

/** An error within a stream: the one that was thrown, or what the provider said in its place. */
const errorOf = (error: unknown): unknown =>
  error instanceof Error ? error : providerError(typeof error === 'object' ? error : { message: error });

/** An agent as a model marks a text that it began, and takes back as its own model was cut off. */
const isDiscarded = ({ metadata = {} }: Piece): boolean => {
  const said = metadata['troupe'];
  return isJsonObject(said) && said['discarded'] === true;
};

const textOf = (part: JsonObject, name: string): string => {
  const value = part[name];
  return typeof value === 'string' ? value : '';
};

const metadataOf = ({ providerMetadata: found }: JsonObject): JsonObject | undefined =>
  isJsonObject(found) && Object.keys(found).length > 0 ? found : undefined;

/** The parts that a stream would have given for an answer in one piece. */
export const partsOf = (result: object): readonly unknown[] => {
  const { content, warnings, response } = pick(result, ['content', 'warnings', 'response']);
  return [
    { type: 'stream-start', warnings },
    ...(typeof response === 'object' && response !== null
      ? [{ ...pick(response, ['id', 'modelId']), type: 'response-metadata' }]
      : []),
    ...(Array.isArray(content) ? content : []).map(asDelta),
    { ...pick(result, ['finishReason', 'usage', 'providerMetadata']), type: 'finish' },
  ];
};

const pick = (source: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name): [string, unknown] => [name, Reflect.get(source, name)]));

/** A text in one piece is one that arrives at once. */
const asDelta = (part: unknown, index: number): unknown => {
  if (typeof part !== 'object' || part === null || !('type' in part)) return part;
  const isBlock = part.type === 'text' || part.type === 'reasoning';
  return isBlock
    ? { ...part, type: `${String(part.type)}-delta`, id: String(index), delta: Reflect.get(part, 'text') }
    : part;
};
