import { TroupeError } from '../contracts/errors/error.ts';
import type { Environment } from '../models/environment.ts';
import type { Model } from '../contracts/models/model.ts';
import { resolveModel } from '../models/model-registry.ts';
import { exitCode } from './exit-code.ts';
import type { Paint } from './terminal/paint.ts';
import { paintFor } from './terminal/paint.ts';
import { nameOption } from './usage/name-option.ts';
import type { Terminal } from './terminal/terminal.ts';
import type { Settings } from './usage/usage.ts';

/** One call of the command: where it prints, how, and whether it is to end. */
export interface Session {
  readonly terminal: Terminal;
  readonly settings: Settings;
  /** The command as it was typed, for hints: `troupe`, or `npx troupe` where npm found it. */
  readonly command: string;
  /** Of standard output. */
  readonly paint: Paint;
  /** Of standard error. */
  readonly sidePaint: Paint;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** Called before the process is killed: restores the terminal. */
  readonly restore: Set<() => void>;
}

/** Runs `work` such that the first Ctrl-C aborts it, and the second ends the process. */
export const withSession = async (
  terminal: Terminal,
  settings: Settings,
  work: (session: Session) => Promise<number>,
): Promise<number> => {
  const { stdout, stderr, environment } = terminal;
  const controller = new AbortController();
  const session: Session = {
    terminal,
    settings,
    command: commandIn(environment),
    paint: paintFor(stdout, environment, settings.color),
    sidePaint: paintFor(stderr, environment, settings.color),
    signal: controller.signal,
    restore: new Set(),
  };
  const forget = terminal.onInterrupt(() => {
    if (!controller.signal.aborted) {
      controller.abort(new TroupeError('run.aborted', INTERRUPTED));
      return;
    }
    for (const restore of session.restore) restore();
    terminal.exit(exitCode.aborted);
  });
  try {
    return await work(session);
  } finally {
    forget();
  }
};

/** npm sets its command, which is `exec` for `npx` as well, for the program that it starts. */
const commandIn = (environment: Environment): string =>
  environment['npm_command'] === 'exec' ? 'npx troupe' : 'troupe';

/** The abort reason after Ctrl-C. */
const INTERRUPTED = 'interrupted from the keyboard';

/** Returns the model of the command line, else that of the environment. */
export const modelOf = ({ settings, terminal }: Session): Model => {
  try {
    return resolveModel(settings.model, terminal.environment);
  } catch (thrown) {
    const option = settings.model === undefined ? 'TROUPE_MODEL' : '--model';
    throw nameOption(thrown, ['model.unknown', 'model.missing'], option);
  }
};
