import { randomUUID } from 'node:crypto';
import { dirname, join, parse, resolve } from 'node:path';
import { aFunction, aText, formOr, fulfilling, optional } from '../../base/schemas/option-schemas.ts';
import { optionsSchema, together, wholeNumber } from '../../base/schemas/option-schemas.ts';
import { onDemand } from '../../base/on-demand.ts';
import { checkOptions } from '../../contracts/errors/check-options.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { Hook, HookScope, RuntimeEvent } from '../../contracts/events/event.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import { hook } from '../../events/hooks/define-hook.ts';
import { traceFileName } from '../traces/trace-file-name.ts';
import type { AuditHead } from './anchor.ts';
import { fileAnchor } from './anchor.ts';
import type { ChainPlace } from './audit-chain.ts';
import { AuditChain } from './audit-chain.ts';
import { auditedTypes, factsOf } from './audit-facts.ts';

/** The place of an audit log, what its head is anchored to, and for whom runs act. */
export interface AuditOptions {
  /** Each run has a file of its own in it. Made when the first run begins. Give this or `file`. */
  readonly folder?: string | undefined;
  /** One file for all runs of the process; another process at the same time has `NAME~2.jsonl`. */
  readonly file?: string | undefined;
  /**
   * A file that heads are added to, as lines of JSON, or a function that receives each; keep them where who may write the log may not. Heads
   * are anchored at the first entry of a chain, at each permission (asked, granted, denied), where a run pauses, is suspended, goes on and
   * ends, and by `anchorEvery`. Default: none.
   */
  readonly anchor?: string | ((head: AuditHead) => void | Promise<void>) | undefined;
  /** A head is anchored at the latest after that many entries: 1 for each. Default: 100. */
  readonly anchorEvery?: number | undefined;
  /** The person or system for whom a run acts: a text, or a function of the run's `context` and `thread`. Default: not stated. */
  readonly onBehalfOf?:
    | string
    | ((run: Pick<HookScope, 'context' | 'thread'>) => string | undefined)
    | undefined;
}

/** The default of `anchorEvery`. */
const ANCHORED_EVERY = 100;

/** Runs of one id that ended one after the other are kept apart, as many as this. */
const MOST = 1_000;

/**
 * A hook that writes an audit log: tool calls, permissions asked, granted and denied, questions and answers, interruptions, spent budgets,
 * messages from outside, and how each run began and ended, each with its time, its agent, its outcome, and where they are known the person,
 * the rule, and for whom.
 *
 * Give it to a run, or to an engine. Entries are chained by SHA-256, and only added, each before the hook returns: one that is changed, removed, moved or inserted is found
 * by {@link verifyAudit}, a removed end by an anchored head. Texts and persons are in `content/`, and the chain has their digests, so they can be erased. Files are
 * readable by their owner only.
 *
 * A log that cannot be written harms no run: the failure is published as `observer.failed`, and the next entry that can be written says how many are missing.
 *
 * @example
 * const audit = auditLog({ folder: './audit', anchor: './anchors/audit.jsonl' });
 * const { runId } = await clerk.run('Pay invoice 17.', { hooks: [audit] });
 * console.log(verifyAudit('./audit', { anchor: './anchors/audit.jsonl' }).problems); // => []
 *
 * @throws {TroupeError} `input.invalid` for options that do not fit.
 */
export const auditLog = (options: AuditOptions): Hook => {
  const {
    folder,
    file,
    anchor: given,
    anchorEvery = ANCHORED_EVERY,
    onBehalfOf,
  } = checkAuditOptions(options);
  const chains = new Map<string, AuditChain>();
  /** Entries that were lost as no file could be opened. */
  const lost = new Map<string, number>();
  const anchoring = new Set<Promise<void>>();
  let failed: HookScope['failed'];

  const anchor =
    typeof given === 'string'
      ? fileAnchor(resolve(given))
      : (head: AuditHead): void => {
          const done: unknown = given?.(head);
          if (!isThenable(done)) return;
          const settled = Promise.resolve(done)
            .catch((thrown: unknown) => failed?.(failure('anchor', thrown)))
            .then(() => void anchoring.delete(settled));
          anchoring.add(settled);
        };

  const keyOf = ({ runId }: RuntimeEvent): string => (folder === undefined ? '' : runId);

  const openChain = (event: RuntimeEvent): AuditChain => {
    const places = folder === undefined ? placesFor(file ?? '') : placesIn(folder, event.runId);
    for (const place of places) {
      const chain = AuditChain.open({ ...place, anchor, anchorEvery }, event);
      if (chain !== undefined) return chain;
    }
    throw new Error(`${MOST} files of that name are there already`);
  };

  const chainOf = (event: RuntimeEvent): AuditChain => {
    const key = keyOf(event);
    const known = chains.get(key);
    if (known !== undefined) return known;
    const missing = lost.get(key) ?? 0;
    // Also where opening it fails; without its run there is nothing to be said of it.
    if (event.type === 'run.ended' && folder !== undefined) lost.delete(key);
    else lost.set(key, missing + factsOf(event).length);
    const chain = openChain(event);
    lost.delete(key);
    chains.set(key, chain);
    chain.miss(missing);
    return chain;
  };

  /** For whom a run acts; its entries are written also where that cannot be said. */
  const principalOf = (scope: HookScope): string | undefined => {
    try {
      return typeof onBehalfOf === 'function' ? onBehalfOf(scope) : onBehalfOf;
    } catch (thrown) {
      scope.failed?.(failure('write', thrown));
      return undefined;
    }
  };

  const handle = (event: RuntimeEvent, scope: HookScope): void => {
    failed = scope.failed ?? failed;
    try {
      const chain = chainOf(event);
      try {
        chain.take(event, principalOf(scope));
      } finally {
        // Also where the process leaves a run that may be resumed: another one may write it.
        if (folder !== undefined && event.type === 'run.ended') {
          chain.close();
          chains.delete(event.runId);
        }
      }
    } catch (thrown) {
      throw failure('write', thrown, event.runId);
    }
  };

  const flush = async (): Promise<void> => {
    await Promise.all(anchoring);
  };

  return hook({ name: 'audit', on: auditedTypes, handle, flush });
};

const failure = (verb: 'write' | 'anchor', thrown: unknown, runId?: string): TroupeError =>
  new TroupeError('trace.unreadable', `Cannot ${verb} the audit log as ${messageOf(thrown)}`, {
    runId,
    cause: thrown,
  });

/** The files for a run, in the order in which they are tried. */
function* placesIn(folder: string, runId: string): Iterable<Pick<ChainPlace, 'file' | 'head'>> {
  for (let number = 1; number <= MOST; number += 1) {
    const chain = traceFileName(runId, number);
    yield { file: join(resolve(folder), chain), head: { chain, run: runId } };
  }
}

function* placesFor(given: string): Iterable<Pick<ChainPlace, 'file' | 'head'>> {
  const { dir, name, ext } = parse(resolve(given));
  for (let number = 1; number <= MOST; number += 1) {
    const file = join(dir, `${name}${number === 1 ? '' : `~${number}`}${ext}`);
    yield { file, head: { chain: randomUUID() } };
  }
}

const aPath = () =>
  fulfilling(
    (given) => typeof given === 'string' && given.trim() !== '',
    "not a path: write for instance './audit'",
  );

const textOr = (short: ReturnType<typeof aPath>) =>
  optional(formOr((given) => typeof given === 'string', short, aFunction()));

const schema = onDemand(() =>
  together<AuditOptions>(
    optionsSchema<AuditOptions>({
      folder: optional(aPath()),
      file: optional(aPath()),
      anchor: textOr(aPath()),
      anchorEvery: optional(wholeNumber(1)),
      onBehalfOf: textOr(aText(1)),
    }),
    problemOf,
  ),
);

const problemOf = ({
  folder,
  file,
  anchor,
  anchorEvery,
}: AuditOptions): readonly [option: keyof AuditOptions, otherwise: string] | undefined => {
  if (folder === undefined && file === undefined) return ['folder', 'missing: name a `folder`, or a `file`'];
  if (folder !== undefined && file !== undefined) return ['folder', 'not alone: `file` is given, too'];
  if (anchorEvery !== undefined && anchor === undefined)
    return ['anchorEvery', 'of no use: name an `anchor`, too'];
  const log = folder === undefined ? dirname(resolve(file ?? '')) : resolve(folder);
  return typeof anchor === 'string' && dirname(resolve(anchor)) === log
    ? ['anchor', 'not apart: name a file that is not beside the log']
    : undefined;
};

const checkAuditOptions = (options: AuditOptions): AuditOptions => {
  checkOptions(schema(), options, { code: 'input.invalid', owner: 'an audit log', verb: 'write' });
  return options;
};
