import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { dollarsOfTicks } from '../wire/ticks.ts';
import type { ChatProfile } from './chat-profile.ts';

/** Reads the price that a server states with the usage of an answer, in US dollars: it may be of any form. Undefined where it states none. */
export const readBill = (usage: unknown, { bill }: ChatProfile): unknown => {
  if (!isJsonObject(usage) || bill === undefined) return undefined;
  if (typeof bill === 'function') return bill(usage);
  return bill === 'xai' ? dollarsOfTicks(usage['cost_in_usd_ticks']) : openRouterBill(usage);
};

/** In credits, which are dollars; with a key of the app's own, its provider charges as well (openrouter.ai/docs, "Usage Accounting"). */
const openRouterBill = ({ cost, is_byok: isOwnKey, cost_details: details }: JsonObject): unknown => {
  const upstream = isOwnKey === true && isJsonObject(details) ? details['upstream_inference_cost'] : 0;
  return typeof cost === 'number' ? cost + Number(upstream ?? 0) : undefined;
};
