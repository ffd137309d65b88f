// A program with a run, which starts a second process of its own with a run where it is told to.
import { spawn } from 'node:child_process';
import { agent, answer } from 'troupe';

const [, file = '', ...rest] = process.argv;
if (rest[0] === 'both') spawn(process.execPath, [file], { stdio: 'inherit' });
const { output } = await agent({ name: 'clerk', decide: () => answer('done') }).run('go');
console.log(`${process.pid} ${output}`);
