// Loaded with --import: as if neither Node nor libsql had SQLite.
import Module from 'node:module';

const load = Module._load;
Module._load = (name, ...rest) => {
  if (name !== 'libsql') return load(name, ...rest);
  throw Object.assign(new Error(`Cannot find module ${name}`), { code: 'MODULE_NOT_FOUND' });
};
const found = process.getBuiltinModule.bind(process);
process.getBuiltinModule = (name) => (name === 'node:sqlite' ? undefined : found(name));
