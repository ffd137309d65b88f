import { ask } from './ask.ts';
import { codeOfFailure, exitCode } from './exit-code.ts';
import { reportToDev } from './dev/started-by-dev.ts';
import { failureLine } from './words/failure-line.ts';
import { graph } from './graph.ts';
import { helpText } from './usage/help.ts';
import { paintFor } from './terminal/paint.ts';
import { run } from './run.ts';
import type { Session } from './session.ts';
import { withSession } from './session.ts';
import type { Terminal } from './terminal/terminal.ts';
import type { Command } from './usage/commands.ts';
import type { Usage } from './usage/usage.ts';
import { readUsage } from './usage/usage.ts';
import { packageVersion } from './package-root.ts';

/**
 * Runs the command `troupe` with its arguments, and returns the exit code. Never rejects: an error is one line on
 * standard error.
 *
 * @example
 * process.exitCode = await command(['ask', 'How are retries configured?', './docs'], terminal);
 */
export const command = async (args: readonly string[], terminal: Terminal): Promise<number> => {
  // `troupe … | head` is not a failure: the rest is not needed.
  const whole = new Promise<number>((resolve) => {
    terminal.onHangUp(() => {
      resolve(exitCode.answered);
    });
  });
  return Promise.race([whole, carryOut(args, terminal)]);
};

const carryOut = async (args: readonly string[], terminal: Terminal): Promise<number> => {
  let usage: Usage | undefined;
  try {
    usage = readUsage(args);
    const { command: wanted, settings } = usage;
    return await withSession(terminal, settings, (session) => follow(wanted, session));
  } catch (thrown) {
    const paint = paintFor(terminal.stderr, terminal.environment, usage?.settings.color ?? true);
    const isDebug = usage?.settings.debug ?? args.includes('--debug');
    terminal.stderr.write(failureLine(thrown, paint, isDebug));
    reportToDev(thrown);
    return codeOfFailure(thrown);
  }
};

const follow = async (wanted: Command, session: Session): Promise<number> => {
  const { stdout } = session.terminal;
  switch (wanted.name) {
    case 'help':
      stdout.write(helpText(wanted.about));
      return exitCode.answered;
    case 'version':
      stdout.write(`${await packageVersion()}\n`);
      return exitCode.answered;
    case 'new':
      return (await import('./new/new.ts')).newProject(wanted, session);
    case 'ask':
      return ask(wanted, session);
    case 'run':
      return run(wanted, session);
    case 'inspect':
      return (await import('./inspect.ts')).inspect(wanted, session);
    case 'inspect-program':
      return (await import('./inspect-program.ts')).inspectProgram(wanted, session);
    case 'dev':
      return (await import('./dev/dev.ts')).dev(wanted, session);
    case 'graph':
      return graph(wanted, session);
    case 'mcp':
      return (await import('./mcp.ts')).serveByMcp(wanted, session);
    case 'serve':
      return (await import('./serving/serve-agents.ts')).serveAgents(wanted, session);
    case 'worker':
      return (await import('./serving/work.ts')).work(wanted, session);
    case 'suggest':
      return (await import('./suggest.ts')).suggest(wanted, session);
    case 'blame':
      return (await import('./blame/blame.ts')).blameRun(wanted, session);
    case 'verify':
      return (await import('./verify/verify.ts')).verifyModule(wanted, session);
    case 'simulate':
      return (await import('./simulate/simulate.ts')).simulateModule(wanted, session);
    case 'rehearse':
      return (await import('./rehearse.ts')).rehearseRuns(wanted, session);
    case 'eval':
      return (await import('./evals/eval.ts')).evalFile(wanted, session);
    case 'resilience':
      return (await import('./resilience/resilience.ts')).reportResilience(wanted, session);
    case 'coverage':
      return (await import('./coverage/coverage.ts')).coverage(wanted, session);
    case 'move':
      return (await import('./move.ts')).move(wanted, session);
    case 'upgrade':
      return (await import('./versions/upgrade.ts')).upgrade(wanted, session);
    case 'trace':
      return (await import('./trace/follow-trace.ts')).followTrace(wanted, session);
    case 'audit':
      return (await import('./audit/follow-audit.ts')).followAudit(wanted, session);
    default:
      // Loaded on demand: the command `ask` needs none of it.
      return (await import('./stored/follow-stored.ts')).followStored(wanted, session);
  }
};
