import type { ErrorCode } from '../../contracts/errors/error-data.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { isRecord } from '../../base/json/is-record.ts';
import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { SecretKey } from '../../contracts/secrets/secret-key.ts';
import type { Secrets } from '../../contracts/secrets/redactor.ts';
import { sealedFieldsIn, unlockRecords } from '../../persistence/field-vault.ts';
import { restoreSecrets } from '../../persistence/secret-references.ts';
import { redactorOf } from '../../policy/redaction.ts';
import { secretKeyOf } from '../../policy/secret-key-of.ts';
import type { GivenBlobs } from '../content/read-given.ts';
import type { Chart, Ending } from './face-snapshot.ts';
import type { PackedBlobs } from './kept-blobs.ts';
import { unpackBlobs } from './kept-blobs.ts';
import { KeptRecords, textCheck } from './kept-records.ts';
import type { LogicOptions } from './logic-options.ts';

/** Version of the form of a run in a persisted snapshot. */
export const KEPT_VERSION = 2;

/** A run in a persisted snapshot: its records, or a reference to its store. */
export interface KeptRun {
  readonly v: number;
  readonly agent: string;
  readonly runId: string;
  /** Number of the last emitted event; -1 if there is none. */
  readonly published: number;
  /** Absent, with its checksum, if the run has not started, is over, or is in a store. */
  readonly records?: readonly Json[] | undefined;
  readonly check?: number | undefined;
  /** The input of a run that has not started. */
  readonly input?: Json | undefined;
  /** The bytes of its media, if they have no other place. */
  readonly blobs?: PackedBlobs | undefined;
  /** True if the records are in a store. */
  readonly isStored?: true | undefined;
  /** Checksum of all of this but records and bytes, which have their own, and of how the run ended. */
  readonly head?: number | undefined;
}

/** Adds the checksum of its head, and of how the run is shown to have ended. */
export const withHead = (run: KeptRun, { status, output }: Ending): KeptRun => {
  const covered = { ...run, records: undefined, blobs: undefined, head: undefined, status, output };
  return { ...run, head: textCheck(canonical(toJson(covered))) };
};

/** The state that an actor is restored from. */
export interface KeptActor {
  readonly chart: Chart;
  readonly children: Readonly<Record<string, KeptMember>>;
  readonly run: KeptRun;
  /** The bytes of its media. */
  readonly blobs: GivenBlobs;
  /** The state to resume the run from; absent if it is over or in a store. */
  readonly opened: OpenedRun | undefined;
  /** Opens sealed fields first, if there are any. */
  readonly unlock: (() => Promise<OpenedRun>) | undefined;
}

/** The opened state to resume or start a run from. */
export interface OpenedRun {
  readonly records: KeptRecords | undefined;
  readonly input: Json | undefined;
  /** Values of secret fields, by name. */
  readonly fields: Secrets;
}

/** A persisted child actor, for display. */
export interface KeptMember {
  readonly src: string;
  readonly chart: Chart;
  readonly children: Readonly<Record<string, KeptMember>>;
}

/** Parses a persisted snapshot, or returns the reason why it cannot be restored: as an error, so that the caller decides when to throw. */
export const readKept = (
  persisted: unknown,
  agent: string,
  { store, secrets: given, secretKey }: LogicOptions,
): { readonly kept: KeptActor } | { readonly error: TroupeError; readonly chart: Chart | undefined } => {
  const chart = chartIn(persisted);
  const refuse = (code: ErrorCode, why: string) => ({
    chart,
    error: refusal(agent, code, why),
  });
  if (!isRecord(persisted) || chart === undefined)
    return refuse('journal.corrupt', 'the value is not a snapshot of one');
  const { troupe: run } = persisted;
  if (run === undefined)
    return refuse(
      'journal.version',
      'its snapshot holds no run: it was written by troupe 0.1, or is no snapshot of an agent. Start a new run with its input',
    );
  if (!isKeptRun(run)) return refuse('journal.corrupt', 'the run in its snapshot is damaged');
  if (run.v !== KEPT_VERSION)
    return refuse(
      'journal.version',
      `its snapshot is of version ${run.v}, and this release reads ${KEPT_VERSION}`,
    );
  if (run.head !== withHead(run, chart).head)
    return refuse('journal.corrupt', 'the run in its snapshot was changed');
  if (run.agent !== agent) return refuse('journal.diverged', `its snapshot is one of '${run.agent}'`);
  if (run.isStored === true && run.input === undefined && store === undefined && chart.status === 'active')
    return refuse(
      'journal.unknown',
      `its snapshot is the address of run '${run.runId}' in a store: give that store to logicWith({ store })`,
    );
  const { runId, records: sealed, check = 0, input: begins } = run;
  const records = sealed && KeptRecords.unpacked({ records: sealed, check });
  if (sealed !== undefined && records === undefined)
    return refuse('journal.corrupt', 'the records in its snapshot were changed');
  const blobs = unpackBlobs(run.blobs);
  if (blobs === undefined) return refuse('journal.corrupt', 'the media in its snapshot were changed');
  const { secrets } = redactorOf(undefined, given);
  const open = (fields: Secrets): OpenedRun => {
    const missing = { secrets: new Set<string>(), fields: new Set<string>() };
    const known = { secrets, fields };
    const opened = {
      records: records && KeptRecords.opened(records, known, missing),
      input: begins === undefined ? undefined : restoreSecrets(begins, known, missing),
      fields,
    };
    if (missing.fields.size > 0) throw new Locked([...missing.fields]);
    if (missing.secrets.size === 0) return opened;
    const names = [...missing.secrets];
    throw refusal(
      agent,
      'secret.missing',
      `its snapshot refers to secrets that are not known here: ${names.join(', ')}. Set the variables, or pass them as \`secrets\``,
    );
  };
  const kept = { chart, children: childrenIn(persisted), run, blobs };
  try {
    return { kept: { ...kept, opened: open({}), unlock: undefined } };
  } catch (thrown) {
    if (!(thrown instanceof Locked)) return { chart, error: toError(thrown) };
    const key = keyIn(secretKey);
    if (key instanceof TroupeError) return { chart, error: key };
    if (key === undefined) return refuse('secret.missing', withoutValues(thrown.names.join(', ')));
    const unlock = async (): Promise<OpenedRun> => {
      const stored = [...(records ?? []), begins];
      const fields = await unlockRecords(runId, stored, key);
      try {
        return open(fields);
      } catch (failed) {
        if (!(failed instanceof Locked)) throw failed;
        const sealed = sealedFieldsIn(stored);
        const names = failed.names.join(', ');
        throw failed.names.every((name) => sealed.includes(name))
          ? refusal(
              agent,
              'secret.wrong-key',
              `the key does not open the secret fields in its snapshot: ${names}. Pass the \`secretKey\` of the actor that was persisted; after a change of keys, pass both`,
            )
          : refusal(agent, 'secret.missing', withoutValues(names));
      }
    };
    return { kept: { ...kept, opened: undefined, unlock } };
  }
};

/** Secret fields with these names could not be opened. */
class Locked extends Error {
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super('locked');
    this.names = names;
  }
}

const refusal = (agent: string, code: ErrorCode, why: string): TroupeError =>
  new TroupeError(code, `Cannot restore an actor of '${agent}' as ${why}`);

const withoutValues = (names: string): string =>
  `no key opens the secret fields in its snapshot: ${names}. Pass the same \`secretKey\` (or set TROUPE_SECRET_KEY) when persisting and when restoring; a snapshot of the turn that creates the actor has no values yet`;

const keyIn = (given: LogicOptions['secretKey']): SecretKey | TroupeError | undefined => {
  try {
    return secretKeyOf(given);
  } catch (thrown) {
    return toError(thrown);
  }
};

const toError = (thrown: unknown): TroupeError =>
  thrown instanceof TroupeError ? thrown : new TroupeError('internal', String(thrown));

/** Checks what is read before the checksum is. */
const isKeptRun = (value: unknown): value is KeptRun =>
  isRecord(value) &&
  typeof value['v'] === 'number' &&
  (value['records'] === undefined || Array.isArray(value['records']));

const chartIn = (given: unknown): Chart | undefined => {
  if (!isRecord(given)) return undefined;
  const { status, value, context, output } = given;
  if (typeof status !== 'string' || value === undefined) return undefined;
  return { status, value, context, output };
};

const childrenIn = ({ children }: Readonly<Record<string, unknown>>): KeptActor['children'] => {
  if (!isRecord(children)) return {};
  const kept: Record<string, KeptMember> = {};
  for (const [path, child] of Object.entries(children)) {
    if (!isRecord(child)) continue;
    const { src, snapshot } = child;
    const chart = chartIn(snapshot);
    if (typeof src === 'string' && isRecord(snapshot) && chart?.status === 'active')
      kept[path] = { src, chart, children: childrenIn(snapshot) };
  }
  return kept;
};
