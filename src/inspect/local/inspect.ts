import { randomBytes } from 'node:crypto';
import {
  aBoolean,
  anything,
  aText,
  formOr,
  fulfilling,
  listOf,
  objectLike,
  objectWith,
  optional,
} from '../../base/schemas/option-schemas.ts';
import type { ContentOptions } from '../../contracts/content/content-options.ts';
import type { MediaPart } from '../../contracts/content/part.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { isTroupeError, TroupeError } from '../../contracts/errors/error.ts';
import type { RunInspector } from '../../contracts/events/inspection.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import { RunContent } from '../../runtime/content/run-content.ts';
import { parseJson } from '../sinks/parse-json.ts';
import { WorkBook } from '../telemetry/report/work-book.ts';
import type { Recorder, RecorderOptions } from '../recording/recorder.ts';
import { recorder, recorderShape } from '../recording/recorder.ts';
import { Company } from './company.ts';
import { carryOut, commandSchema, isAside } from './control.ts';
import { Feed } from './feed.ts';
import { Hold } from './hold.ts';
import { KnownRuns } from './known-runs.ts';
import { LocalServer } from './server/local-server.ts';
import { openInBrowser } from './open-in-browser.ts';
import { packageVersion } from './package-folder.ts';
import { pageText } from './page-text.ts';
import type { ShownAlerts } from './report/report-index.ts';
import { MOST_REPORTED, ReportIndex } from './report/report-index.ts';
import { ReportedRuns } from './report/reported-runs.ts';
import { eachRunOnce, newestOf } from './processes/each-run-once.ts';
import type { CommandPart } from './processes/membership.ts';
import { Membership } from './processes/membership.ts';
import { Relay } from './processes/relay.ts';
import { RunsIndex } from './runs-index.ts';
import { searchSaid } from './said-search.ts';
import { allSchedules, ownSchedules } from './schedules/schedule-lists.ts';
import { listRuns } from './session-board.ts';
import type { AgentsOfRuns } from './stored-feeds.ts';
import { StoredFeeds } from './stored-feeds.ts';
import { AskedRuns } from './trial/asked-runs.ts';
import { Trials } from './trial/trials.ts';

/** Options of the inspector. */
export interface InspectOptions extends RecorderOptions {
  /** Default: any that is free. */
  readonly port?: number | undefined;
  /** Lets the page pause, step, message, stop and fork runs, and make their model calls again. Default false: read only. */
  readonly control?: boolean | undefined;
  /** Opens the page in the browser. Default false. */
  readonly open?: boolean | undefined;
  /** Holds runs as they begin until somebody looks at the page for the first time. Default false. */
  readonly wait?: boolean | undefined;
  /** A store whose runs can be viewed and forked, too. */
  readonly store?: JournalStore | undefined;
  /** The place of the bytes of media of stored runs, as the runs were given it. Default: the store. */
  readonly content?: Pick<ContentOptions, 'blobs'> | undefined;
  /** The agents of stored runs, needed for their replay: a list, or a function that finds the agent of a run. */
  readonly agents?: AgentsOfRuns | undefined;
  /** Keeps the process alive until closed. Default false: the process may exit. */
  readonly keepsProcess?: boolean | undefined;
  /** A hook of `alerts()`, whose alerts the page shows; it watches the runs that it is given to. */
  readonly alerts?: ShownAlerts | undefined;
  /**
   * Keeps this process and the other inspected ones of this user apart. Default false: the page shows the runs of all of them, and those
   * of this process are on the pages of the others, which may control them if `control` is true.
   */
  readonly alone?: boolean | undefined;
  /** HTML to show in place of the page; `__NONCE__` in it becomes the nonce of its scripts and styles. */
  readonly page?: string | undefined;
}

/** An inspector that is open. */
export interface Inspector extends RunInspector {
  /** The page, with the token that opens it. */
  readonly url: string;
  readonly token: string;
  readonly recorder: Recorder;
  /** Closes the server at once, with any viewers. Runs continue. */
  close(): Promise<void>;
}

const MAX_PORT = 65_535;

const check = optionsCheck<InspectOptions>(
  { code: 'inspector.failed', owner: 'the inspector', verb: 'open' },
  () => ({
    ...recorderShape(),
    port: optional(fulfilling(isPort, `not a port from 0 to ${MAX_PORT}`)),
    control: optional(aBoolean()),
    open: optional(aBoolean()),
    wait: optional(aBoolean()),
    store: optional(objectWith(['read', 'list', 'leases'], 'not a store: write one of troupe/stores')),
    content: optional(objectLike({ blobs: anything() }, 'not an object')),
    agents: optional(formOr((given) => typeof given === 'function', anything(), listOf(anything()))),
    keepsProcess: optional(aBoolean()),
    alerts: optional(
      objectLike(
        { history: listOf(anything()), firing: listOf(anything()), failures: optional(listOf(anything())) },
        'not a hook: write alerts({ rules })',
      ),
    ),
    alone: optional(aBoolean()),
    page: optional(aText()),
  }),
);

function isPort(given: unknown): boolean {
  return Number.isInteger(given) && Number(given) >= 0 && Number(given) <= MAX_PORT;
}

/**
 * Opens the local inspector: a page, served on the loopback, that shows runs as statecharts while they happen, and
 * stored runs.
 *
 * Access requires the token in its address. It never slows a run: a slow viewer is disconnected. What other processes of this user run
 * with an inspector of their own is on the page, too, unless one is `alone`.
 *
 * @example
 * const inspector = await inspect({ control: true });
 * console.log(inspector.url);
 * await clerk.run('What is 19 + 23?', { inspect: inspector });
 * await inspector.close();
 *
 * @throws {TroupeError} `inspector.failed` where the port is not to be had, or for options that do not fit.
 */
export const inspect = async (options: InspectOptions = {}): Promise<Inspector> =>
  prepareInspector(options).open();

/** An inspector that records already, and is not open yet. */
export interface PreparedInspector extends RunInspector {
  /** Opens it; as {@link inspect}. `port` takes precedence over the option. */
  open(port?: number): Promise<Inspector>;
}

/**
 * Prepares an inspector at once, for a run that cannot wait until its port is open.
 *
 * @throws {TroupeError} `inspector.failed` for options that do not fit.
 */
export const prepareInspector = (options: InspectOptions = {}, part: CommandPart = {}): PreparedInspector => {
  const {
    port = 0,
    control = false,
    open: isShown = false,
    wait = false,
    store,
    content,
    agents = [],
    keepsProcess = false,
    alerts,
    alone = false,
  } = check(options);
  const { capacity, secrets } = options;
  const record = recorder({ capacity, secrets });
  const token = randomBytes(24).toString('base64url');
  const live = new Feed(record.recording, () => requestsOf(record));
  const company = new Company();
  part.notes?.onChange(() => {
    company.renew();
  });
  const stored = store === undefined ? undefined : new StoredFeeds({ store, agents, capacity, secrets });
  const asked = new AskedRuns(record);
  const book = new WorkBook(MOST_REPORTED);
  const known = new KnownRuns(new ReportedRuns(asked, book));
  const report = new ReportIndex({ recorder: record, book, store, alerts });
  const sources = { recorder: record, store };
  const membership = new Membership({ isAlone: alone, control, part });
  const { others } = membership;
  const relay = new Relay({ ...sources, others, company });
  const ownIndex = new RunsIndex(sources);
  const index = membership.folder === undefined ? ownIndex : new RunsIndex(sources, () => others.rows());
  const trials = new Trials({
    live: { asked, recorder: record },
    stored,
    bytesOf: (runId, hash) => bytesIn({ recorder: record, store, content }, runId, hash),
  });
  const desk = { recorder: record, known, store, content, stored, trials };
  const hold = new Hold(wait);
  live.onWatched = (isWatched) => {
    if (isWatched) hold.release();
  };
  const inspects: RunInspector['inspects'] = (run) => {
    hold.take(run);
    return known.inspects(run);
  };
  let page = options.page === undefined ? undefined : Promise.resolve(options.page);
  const server = new LocalServer({
    token,
    sign: membership.sign,
    keepsProcess,
    live,
    others,
    relay,
    watched: () => {
      hold.release();
    },
    company,
    page: () => (page ??= pageText()),
    session: async ({ run, process, isRelay }) => {
      const breakpoints = await (others.at(process ?? '')?.breakpoints() ?? record.breakpoints());
      const [version, own] = await Promise.all([packageVersion(), listRuns(record, store, run)]);
      const runs = isRelay ? [] : eachRunOnce([...own, ...newestOf(await others.rows(), run)]);
      const { note } = membership;
      const held = part.notes?.held ?? [];
      const notes = { note, ...(held.length === 0 ? {} : { held }) };
      return record.recording.line({
        control,
        version,
        runs,
        breakpoints,
        processes: others.listed,
        ...notes,
      });
    },
    runs: async (since, isRelay) =>
      record.recording.line(await (isRelay ? ownIndex : index).changedSince(since)),
    said: async (find, after) => {
      const lines = function* () {
        yield* record.recording.from();
        yield* others.lines();
      };
      return record.recording.line(await searchSaid({ lines, store }, find, after));
    },
    report: async () => record.recording.line(await report.report()),
    schedules: async (isRelay) => {
      const own = await ownSchedules(store, control);
      return record.recording.line(isRelay ? own : await allSchedules(own, others));
    },
    stored: (runId) => (stored === undefined ? Promise.reject(noStore(runId)) : stored.at(runId)),
    content: (runId, hash) => bytesIn(desk, runId, hash),
    control: control
      ? async (body, by, caller) => {
          const command = commandIn(body);
          const said = await carryOut(command, desk, caller);
          live.renewRequests();
          if (!isAside(command))
            company.tell({ by, do: command.do, run: 'run' in command ? command.run : undefined });
          return said;
        }
      : undefined,
  });
  const open = async (wanted = port): Promise<Inspector> => {
    await server.listen(wanted);
    membership.join({ port: server.port, token, live });
    const url = `http://127.0.0.1:${server.port}/?token=${token}`;
    if (isShown) openInBrowser(url);
    return {
      url,
      token,
      recorder: record,
      inspects,
      close: async () => {
        await membership.leave(live);
        live.close();
        index.close();
        report.close();
        ownIndex.close();
        await Promise.all([server.close(), stored?.close()]);
      },
    };
  };
  return { inspects, open };
};

/** Lists open requests of all runs in progress. */
const requestsOf = ({ handles }: Recorder) =>
  [...handles.values()].flatMap(({ runId, requests }) =>
    requests.map((request) => ({ ...request, run: runId })),
  );

/** Media of a run of this process, or else those of the store, or of the place that was given with it. */
const bytesIn = async (
  {
    recorder: record,
    store,
    content,
  }: Pick<InspectOptions, 'store' | 'content'> & { readonly recorder: Recorder },
  runId: string,
  hash: string,
): Promise<Uint8Array> => {
  const part: MediaPart = { type: 'file', hash, mediaType: 'application/octet-stream', size: 0 };
  try {
    return await record.bytesOf(runId, part);
  } catch (thrown) {
    if (store === undefined) throw thrown;
    try {
      return await new RunContent({ store, content }).bytesOf(part);
    } catch (cause) {
      if (!isTroupeError(cause, 'content.missing')) throw cause;
      const place = content?.blobs?.name ?? store.name;
      const message = `Cannot show these bytes as they are not in ${place}: open the inspector with the place that has them (\`content.blobs\`; on the command line --blobs FOLDER)`;
      throw new TroupeError('content.missing', message, { runId, cause });
    }
  }
};

const noStore = (runId: string): TroupeError =>
  new TroupeError('journal.unknown', `Cannot show run '${runId}' as there is no store`, { runId });

const commandIn = (body: string) => {
  const { data, error } = commandSchema.safeParse(parseJson(body));
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const found = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it is invalid'}`;
  throw new TroupeError('input.invalid', `Cannot execute the command as it is invalid: ${found}`);
};
