import { onDemand } from '../../base/on-demand.ts';
import type { OptionSchema } from '../../base/schemas/option-schemas.ts';
import {
  aFunction,
  aText,
  fulfilling,
  listOf,
  objectLike,
  objectWith,
  oneOf,
  optional,
  optionsSchema,
  shortOr,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import type { AgentMailbox, MailboxOptions } from '../../contracts/messages/message.ts';
import type { SubtreeLimits } from '../../contracts/runs/tree-limits.ts';

/** The options that agents, teams and runs have in common. */

/** A model, or its name. */
export const modelSchema = onDemand(() =>
  shortOr(
    (given) => typeof given === 'string',
    objectWith(['answer'], "not a model: write 'provider:model' or an object with answer()"),
  ),
);

/** Observers: objects that handle events. */
export const hooksSchema = onDemand(() =>
  listOf(
    objectLike({ handle: aFunction() }, 'not a hook: write an object with handle(event)'),
    'not a list: write `hooks: [ … ]`',
  ),
);

const mailboxShape = () => ({
  capacity: optional(wholeNumber(1)),
  ttlMs: optional(wholeNumber(1)),
  overflow: optional(oneOf(['reject', 'dropOldest', 'dropNewest', 'block'])),
});

/** The mailbox of a team. */
export const mailboxSchema = onDemand(() => optionsSchema<MailboxOptions>(mailboxShape()));

/** The mailbox of an agent, and what it does with messages. */
export const agentMailboxSchema = onDemand(() =>
  optionsSchema<AgentMailbox>({
    ...mailboxShape(),
    topics: optional(listOf(aText(1))),
    unread: optional(oneOf(['leave', 'read'])),
  }),
);

/** A limit on the size of a tree; `Infinity` is none. */
export const treeLimit = (): OptionSchema =>
  optional(
    fulfilling(
      (given) => given === Infinity || (Number.isSafeInteger(given) && Number(given) >= 0),
      'not a whole number from 0',
    ),
  );

/** The limits on what is below an agent or a team. */
export const subtreeShape = (): Readonly<Record<keyof SubtreeLimits, OptionSchema>> => ({
  maxDepth: treeLimit(),
  maxChildren: treeLimit(),
});
