import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { WireContext } from './reader-context.ts';

/** A call of the agent's tools, as a replayed answer shows it. */
export interface ShownCall {
  /** In the provider's terms, as is the input. */
  readonly name: string;
  readonly input: Json;
  /** The provider's id, where calls have it as their origin. */
  readonly id?: string | undefined;
}

/** The parts that items of a provider's answers play in a conversation. */
export interface ReplayTerms<Item> {
  callIn(item: Item): ShownCall | undefined;
  isReasoning(item: Item): boolean;
  /**
   * True if reasoning is bound to the item after it, and refused without it, as OpenAI's is; else it goes with whatever follows it in
   * its answer, as Anthropic's does, which refuses it as the last of an answer.
   */
  readonly isBound?: boolean | undefined;
}

/** An item that can be sent back. */
export interface RemainingItem<Item> {
  readonly item: Item;
  /** The call of the turn that it shows. */
  readonly call: ToolCall | undefined;
  /** True if the reasoning before it is left out: its provider may refuse it under its own id. */
  readonly isBereft: boolean;
}

/**
 * The items of a replayed answer for the calls that its turn still has: a context policy may have removed the others. Left out are the
 * removed calls, and the reasoning that the provider would refuse without them. Undefined if nothing is left, or if the turn has a call that
 * the answer does not show: it is no copy of the turn then.
 */
export const remainingItems = <Item>(
  items: readonly Item[],
  calls: readonly ToolCall[],
  wire: Pick<WireContext, 'names' | 'inputs'>,
  terms: ReplayTerms<Item>,
): readonly RemainingItem<Item>[] | undefined => {
  const shown = items.map((item) => terms.callIn(item));
  const found = findCalls(shown, calls, wire);
  if (found === undefined) return undefined;
  const isGone = (index: number): boolean => shown[index] !== undefined && !found.has(index);
  const isLost = (index: number): boolean => {
    const following = items.flatMap((item, at) => (at > index && !terms.isReasoning(item) ? [at] : []));
    const owners = terms.isBound === true ? following.slice(0, 1) : following;
    return owners.length > 0 && owners.every(isGone);
  };
  const remaining: RemainingItem<Item>[] = [];
  let isBereft = false;
  for (const [index, item] of items.entries()) {
    if (isGone(index)) continue;
    if (terms.isReasoning(item)) isBereft = isLost(index);
    if (isBereft && terms.isReasoning(item)) continue;
    remaining.push({ item, call: found.get(index), isBereft });
  }
  return remaining.length === 0 ? undefined : remaining;
};

type Likeness = (shown: ShownCall, call: ToolCall) => boolean;

/** The calls of a turn by the places at which an answer shows them; undefined if it does not show one of them. */
const findCalls = (
  shown: readonly (ShownCall | undefined)[],
  calls: readonly ToolCall[],
  { names, inputs }: Pick<WireContext, 'names' | 'inputs'>,
): ReadonlyMap<number, ToolCall> | undefined => {
  const places = shown.flatMap((call, index) => (call === undefined ? [] : [{ ...call, index }]));
  const found = new Map<number, ToolCall>();
  if (places.length === calls.length) {
    for (const [at, call] of calls.entries()) found.set(places[at]?.index ?? -1, call);
    return found;
  }
  const isNamed: Likeness = ({ name }, call) => names.legal(call.name) === name;
  const isEqual: Likeness = (place, call) =>
    isNamed(place, call) && canonical(inputs.read(call.name, place.input)) === canonical(call.input);
  const isItself: Likeness = ({ id }, { origin }) => id !== undefined && origin?.id === id;
  const sought = new Set(calls);
  // An input may have been changed since: the surest likeness counts first.
  for (const isLike of [isItself, isEqual, isNamed])
    for (const call of sought) {
      const place = places.find((each) => !found.has(each.index) && isLike(each, call));
      if (place === undefined) continue;
      found.set(place.index, call);
      sought.delete(call);
    }
  return sought.size === 0 ? found : undefined;
};
