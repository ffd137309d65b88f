import process from 'node:process';
import type { Terminal } from './terminal.ts';

const INTERRUPTS = ['SIGINT', 'SIGTERM'] as const;

/** The terminal of this process. */
export const processTerminal = (): Terminal => ({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  folder: process.cwd(),
  onInterrupt: (listener) => {
    for (const signal of INTERRUPTS) process.on(signal, listener);
    return () => {
      for (const signal of INTERRUPTS) process.off(signal, listener);
    };
  },
  interrupt: () => {
    process.kill(process.pid, 'SIGINT');
  },
  onHangUp: (listener) => {
    // Without a listener, an error of the stream would end the process with a stack trace.
    process.stdout.on('error', listener);
    process.stderr.on('error', listener);
    return () => {
      process.stdout.off('error', listener);
      process.stderr.off('error', listener);
    };
  },
  exit: (code) => {
    process.exit(code);
  },
});
