import type { Json } from '../../base/json/json.ts';
import { oddValueIn } from '../../base/json/odd-value.ts';
import {
  aBoolean,
  aText,
  fulfilling,
  listOf,
  optional,
  optionsSchema,
} from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../errors/check-options.ts';
import type { Approver } from './approval-terms.ts';

/** Options of an approval. */
export interface ApprovalOptions {
  readonly input?: Json | undefined;
  readonly by?: Approver | undefined;
}

/** Arguments are recorded as they are. */
const plainJson = () =>
  optional(
    fulfilling((given) => oddValueIn(given, '') === undefined, 'not plain JSON: write what JSON holds'),
  );

/** A person who answers, by their name and roles. */
export const anApprover = () =>
  optional(optionsSchema<Approver>({ name: aText(1), roles: optional(listOf(aText(1))) }));

/** Checks the options of a denial. @throws {TroupeError} `input.invalid` */
export const checkDenial = optionsCheck<Pick<ApprovalOptions, 'by'>>(
  { code: 'input.invalid', owner: 'the call', verb: 'deny' },
  () => ({ by: anApprover() }),
);

/** Checks the options of an approval: by a misspelt one the original arguments would be approved. @throws {TroupeError} `input.invalid` */
export const checkApproval = optionsCheck<ApprovalOptions>(
  { code: 'input.invalid', owner: 'the call', verb: 'approve' },
  () => ({ input: plainJson(), by: anApprover() }),
);

interface CallAnswer extends ApprovalOptions {
  readonly id: string;
  readonly yes: boolean;
  readonly reason?: string | undefined;
}

const AN_ANSWER = {
  code: 'input.invalid',
  owner: 'the request',
  verb: 'answer',
} as const;

/** Checks an answer to a request about a call, like {@link checkApproval}. */
export const checkCallAnswer = optionsCheck<CallAnswer>(AN_ANSWER, () => ({
  id: aText(1),
  yes: aBoolean(),
  input: plainJson(),
  reason: optional(aText()),
  by: anApprover(),
}));

/** Checks an answer in words. */
export const checkTextAnswer = optionsCheck<{ id: string; text: string }>(AN_ANSWER, () => ({
  id: aText(1),
  text: aText(),
}));

/** The person who answers, as they are kept: a copy that nobody else holds. */
export const byOf = (by: Approver | undefined): { readonly by?: Approver } =>
  by === undefined
    ? {}
    : { by: { name: by.name, ...(by.roles === undefined ? {} : { roles: [...by.roles] }) } };
