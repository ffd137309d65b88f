// Loaded with --import: as if no provider's package was installed.
import { register } from 'node:module';

const hooks = `export const resolve = (name, context, next) => {
  if (name !== 'openai' && name !== '@anthropic-ai/sdk') return next(name, context);
  throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' });
};`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);
