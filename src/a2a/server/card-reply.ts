import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';
import { sha256 } from '../../base/sha256.ts';
import { jsonReply } from '../../runtime/serve/http/reply.ts';

/** Time for which a card may be kept, in s: short, as a new version of an agent is one of its card. */
const MAX_AGE = 60;

/** A card as a response that may be kept, and is not sent again to a client that has it. */
export const cardReply = ({ headers }: Request, card: Json): Response => {
  const etag = `"${sha256(canonical(card)).slice(0, 32)}"`;
  const kept = { 'cache-control': `public, max-age=${MAX_AGE}`, etag };
  const has = headers
    .get('if-none-match')
    ?.split(',')
    .map((each) => each.trim().replace(/^W\//, ''));
  return has?.includes(etag) === true
    ? new Response(null, { status: 304, headers: kept })
    : jsonReply(card, 200, kept);
};
