import type { JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { readJson } from '../http/read-json.ts';
import { refusal } from '../http/refusal.ts';
import type { Serving } from '../serving.ts';

/** Reads the body of a request as a JSON object. @throws {TroupeError} those of {@link readJson} */
export const readBody = async ({ limits, clock }: Serving, request: Request): Promise<JsonObject> => {
  const { bodyBytes, bodyMs } = limits;
  const body = await readJson(request, { bodyBytes, bodyMs, clock });
  if (isJsonObject(body)) return body;
  throw refusal(400, 'its body is no JSON object');
};

/** The header that names parameters without effect: an agent has settings of its own. */
export const effectHeaders = (ignored: readonly string[]): Readonly<Record<string, string>> =>
  ignored.length === 0 ? {} : { 'troupe-without-effect': ignored.join(', ') };
