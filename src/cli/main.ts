#!/usr/bin/env node
import { command } from './command.ts';
import { processTerminal } from './terminal/process-terminal.ts';

const terminal = processTerminal();
const code = await command(process.argv.slice(2), terminal);
// A tool that is still running must not keep the process alive; pending output is flushed first.
terminal.stdout.write('', () => {
  terminal.exit(code);
});
