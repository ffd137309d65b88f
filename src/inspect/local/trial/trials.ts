import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject, toJson } from '../../../base/json/json.ts';
import { nameOf } from '../../../actors/deciding/model-events.ts';
import type { MediaPart } from '../../../contracts/content/part.ts';
import { isMedia } from '../../../contracts/content/part.ts';
import type { Model, ModelDelta } from '../../../contracts/models/model.ts';
import type { Redactor } from '../../../contracts/secrets/redactor.ts';
import { errorData, isTroupeError, toError, TroupeError } from '../../../contracts/errors/error.ts';
import { redactor } from '../../../policy/redaction.ts';
import { asJson } from '../../recording/fitted.ts';
import type { Recorder } from '../../recording/recorder.ts';
import type { WholeRequest } from '../../../runtime/log/sent-requests.ts';
import { SecretFields } from '../../../tools/schemas/secret-fields.ts';
import type { Caller } from '../caller.ts';
import type { StoredFeeds } from '../stored-feeds.ts';
import { AnswerPieces } from './answer-pieces.ts';
import { askApart } from './ask-apart.ts';
import type { AskedCall } from './asked-calls.ts';
import type { AskedRuns } from './asked-runs.ts';
import { MOST_OVER } from './asked-runs.ts';
import type { RequestTexts } from './edited-request.ts';
import { editedRequest, readTexts, textsOf } from './edited-request.ts';
import type { CallNamed, TrialCommand } from './trial-command.ts';
import { TIME_MS } from './trial-command.ts';

/** Runs whose calls are known, and the recording that redacts their secrets. */
interface Source {
  readonly asked: AskedRuns;
  readonly recorder: Pick<Recorder, 'recording'>;
}

/** The needs of trials. */
export interface TrialsSetup {
  readonly live: Source;
  readonly stored: Pick<StoredFeeds, 'callsOf'> | undefined;
  /** Reads media of a run. Rejects with `content.missing`. */
  readonly bytesOf: (runId: string, hash: string) => Promise<Uint8Array>;
}

interface Found extends AskedCall {
  /** A value as the page may see it. */
  readonly show: (value: unknown) => Json;
  /** The secrets that the page may not see, as far as they are known. */
  readonly secrets: () => Redactor;
}

/** The number of calls that are made again at once. */
const MOST = 2;

/**
 * Model calls of runs that are made again, apart from their runs.
 *
 * I1  Nothing of it reaches the run: no event, no record, no charge.
 * I2  Secrets that were sent are sent again, and never shown.
 */
export class Trials {
  readonly #setup: TrialsSetup;
  #open = 0;

  constructor(setup: TrialsSetup) {
    this.#setup = setup;
  }

  /**
   * The models that a call can be made by, its texts to be edited, and its media that are missing.
   *
   * @throws (rejects with) `run.ended` for a run that is not known here, `request.unknown` for a call that it did not make; the errors of
   * opening a stored run; `model.missing` for an agent without models.
   */
  async formOf({ run, key }: CallNamed): Promise<JsonObject> {
    const { request, asker, show } = await this.#find(run, key);
    const names = [request.model, ...asker.models().map(nameOf)];
    // It says why none can be asked.
    if (asker.models().length === 0) asker.named(request.model);
    const missing = await this.#missingOf(run, request);
    const { model, settings } = request;
    const form = {
      model,
      models: [...new Set(names)],
      ...textsOf(request),
      settings,
      missing,
      timeMs: TIME_MS,
    };
    return asObject(show(form));
  }

  /**
   * Makes a call again, with its texts edited or by another model; returns the answer, which a caller is given in pieces first as it arrives.
   *
   * @throws (rejects with) as `formOf`; `resource.busy` while others are made; `input.invalid` for an edit; `model.unknown`; `content.missing`; the
   * errors of {@link askApart}, with secrets redacted.
   */
  async ask(command: TrialCommand, caller: Caller): Promise<JsonObject> {
    if (this.#open >= MOST)
      throw new TroupeError(
        'resource.busy',
        `Cannot make the call again as ${MOST} others are being made: wait for one, or cancel it`,
      );
    this.#open += 1;
    try {
      return await this.#ask(command, caller);
    } finally {
      this.#open -= 1;
    }
  }

  /** The models that the agents of a run have, as far as they asked one. Rejects with the errors of opening a stored run. */
  async modelsOf(run: string): Promise<readonly Model[]> {
    const { live, stored } = this.#setup;
    if (live.asked.has(run) || stored === undefined) return live.asked.models(run);
    return (await stored.callsOf(run)).asked.models(run);
  }

  async #ask(command: TrialCommand, { signal, piece }: Caller): Promise<JsonObject> {
    const { run, key, timeMs = TIME_MS } = command;
    const { request: recorded, asker, show, secrets } = await this.#find(run, key);
    const model = asker.named(command.model ?? recorded.model);
    const shown = readTexts(show(textsOf(recorded)));
    assertEditable(command, shown);
    const request = editedRequest(recorded, command, shown, asker.settings);
    const [missing] = await this.#missingOf(run, recorded);
    if (missing !== undefined)
      throw new TroupeError(
        'content.missing',
        `Cannot make the call again as its media are missing: ${missing}`,
      );
    // The model may be one that no run has asked.
    const ofModel = model.secrets?.() ?? {};
    const own = redactor(ofModel);
    const safe = (value: unknown): Json => show(JSON.parse(own(asJson(value))));
    const bytesOf = ({ hash }: MediaPart): Promise<Uint8Array> => this.#setup.bytesOf(run, hash);
    // What its schema marks as secret is known by the whole alone.
    const isWhole = piece === undefined || hasSecretFields(recorded);
    const pieces = isWhole ? undefined : new AnswerPieces({ shown: secrets, own: ofModel }, piece);
    const onDelta = (delta: ModelDelta): void => pieces?.take(delta);
    try {
      const answer = await askApart(model, request, { asker, key, timeMs, signal, bytesOf, onDelta });
      pieces?.end();
      return asObject(safe(answer));
    } catch (thrown) {
      const data = errorData(thrown, 'model.failed', {
        message: `Cannot use the answer of ${nameOf(model)} as it failed`,
      });
      const message = safe(data.message);
      throw toError({ ...data, message: typeof message === 'string' ? message : data.code });
    }
  }

  async #find(runId: string, key: string): Promise<Found> {
    const { asked, recorder } = await this.#sourceOf(runId);
    const call = asked.at(runId, key);
    if (call === undefined)
      throw new TroupeError(
        'request.unknown',
        `Cannot make the call again as run '${runId}' has no model call with the key '${key}': take it from the call's event \`model.asked\``,
        { runId },
      );
    const { recording } = recorder;
    return {
      ...call,
      show: (value) => toJson(JSON.parse(recording.line(value))),
      secrets: () => recording.secrets,
    };
  }

  async #sourceOf(runId: string): Promise<Source> {
    const { live, stored } = this.#setup;
    if (live.asked.has(runId)) return live;
    if (stored !== undefined) return stored.callsOf(runId);
    throw new TroupeError(
      'run.ended',
      `Cannot make a call of run '${runId}' again as it is neither in progress here nor one of the last ${MOST_OVER} that ended: open the inspector with the store that has it (\`store\`; on the command line --store STORE)`,
      { runId },
    );
  }

  /** The media of a request that cannot be had, each with the reason. */
  async #missingOf(runId: string, { messages }: WholeRequest): Promise<readonly string[]> {
    const media = messages.flatMap(({ turn }) => turn.parts ?? []).filter(isMedia);
    const byHash = new Map(media.map((part) => [part.hash, part]));
    const found = await Promise.all(
      [...byHash.values()].map(async ({ hash, name = hash.slice(0, 8) }) => {
        try {
          await this.#setup.bytesOf(runId, hash);
          return undefined;
        } catch (thrown) {
          if (!isTroupeError(thrown)) throw thrown;
          return `${name}: ${thrown.message}`;
        }
      }),
    );
    return found.filter((each) => each !== undefined);
  }
}

/** @throws {TroupeError} `input.invalid` for a message in place of none. */
const assertEditable = ({ message }: TrialCommand, shown: RequestTexts): void => {
  if (message === undefined || shown.message !== undefined) return;
  throw new TroupeError(
    'input.invalid',
    'Cannot edit the message as the request has none of a user: edit the instructions instead',
  );
};

const hasSecretFields = ({ output }: WholeRequest): boolean =>
  output !== undefined && new SecretFields(output.schema).names.length > 0;

const asObject = (value: Json): JsonObject => (isJsonObject(value) ? value : {});
