/** Runs the program beside it. What V8 has compiled for the first process that comes to its end, all later ones find compiled. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

const program = join(__dirname, 'program.cjs');
const compiled = join(__dirname, 'program.compiled');

const compiledBefore = (): Buffer | undefined => {
  try {
    return readFileSync(compiled);
  } catch {
    return undefined;
  }
};

const cachedData = compiledBefore();
// esbuild writes ASCII, of which Latin-1 is read fastest. What a module of Node finds, it finds by the names of its parameters.
const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(program, 'latin1')}\n})`;
const script = new Script(source, { filename: program, ...(cachedData === undefined ? {} : { cachedData }) });
if (cachedData === undefined || script.cachedDataRejected === true) {
  process.once('exit', () => {
    // Others may end at the same time: each writes its own, and one of them counts.
    const own = `${compiled}.${process.pid}`;
    writeFileSync(own, script.createCachedData());
    renameSync(own, compiled);
  });
}
const run = script.runInThisContext() as (...parameters: readonly unknown[]) => void;
run({}, createRequire(program), { exports: {} }, program, __dirname);
