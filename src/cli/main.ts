#!/usr/bin/env node
import { command } from './command.ts';
import { processTerminal } from './process-terminal.ts';

const terminal = processTerminal();
const code = await command(process.argv.slice(2), terminal);
// What a tool left running must not keep the command from ending; what was printed must come out first.
terminal.stdout.write('', () => {
  terminal.exit(code);
});
