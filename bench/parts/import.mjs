/** Worker: what importing some modules costs, or with `list=yes` which modules it loads. */
import * as nodeModule from 'node:module';
import { cpuMs, tell, words } from '../measure.mjs';

const { modules, list } = words();
const loaded = new Set();
if (list === 'yes')
  nodeModule.registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context);
      loaded.add(found.url);
      return found;
    },
  });
const [from, cpuFrom] = [performance.now(), cpuMs()];
for (const name of modules.split(',')) await import(name);
tell({ wallMs: performance.now() - from, cpuMs: cpuMs() - cpuFrom, loaded: [...loaded] });
