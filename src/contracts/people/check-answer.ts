import type { Json } from '../../base/json/json.ts';
import { oddValueIn } from '../../base/json/odd-value.ts';
import { aBoolean, aText, fulfilling, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../errors/check-options.ts';

/** Options of an approval. */
export interface ApprovalOptions {
  readonly input?: Json | undefined;
}

/** Arguments are recorded as they are. */
const plainJson = () =>
  optional(
    fulfilling((given) => oddValueIn(given, '') === undefined, 'not plain JSON: write what JSON holds'),
  );

/** Checks the options of an approval: by a misspelt one the original arguments would be approved. @throws {TroupeError} `input.invalid` */
export const checkApproval = optionsCheck<ApprovalOptions>(
  { code: 'input.invalid', owner: 'the call', verb: 'approve' },
  () => ({ input: plainJson() }),
);

interface CallAnswer extends ApprovalOptions {
  readonly id: string;
  readonly yes: boolean;
  readonly reason?: string | undefined;
}

/** Checks an answer to a request about a call, like {@link checkApproval}. */
export const checkCallAnswer = optionsCheck<CallAnswer>(
  { code: 'input.invalid', owner: 'the request', verb: 'answer' },
  () => ({ id: aText(1), yes: aBoolean(), input: plainJson(), reason: optional(aText()) }),
);
