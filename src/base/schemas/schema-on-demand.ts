import type * as z from 'zod';
import { onDemand } from '../on-demand.ts';

/**
 * Wraps a schema so that it is built on first use: for exported schemas, as an import should pay for none that is not
 * used. It behaves as the built schema for everybody, zod included.
 *
 * @example
 * export const pointSchema = schemaOnDemand(() => z.object({ x: z.number(), y: z.number() }));
 * pointSchema.parse({ x: 1, y: 2 });
 */
export const schemaOnDemand = /* @__NO_SIDE_EFFECTS__ */ <Schema extends z.core.$ZodType>(
  make: () => Schema,
): Schema => {
  const made = onDemand(make);
  const handler: ProxyHandler<object> = {
    get: (_, key) => Reflect.get(made(), key),
    set: (_, key, value) => Reflect.set(made(), key, value),
    has: (_, key) => Reflect.has(made(), key),
    ownKeys: () => Reflect.ownKeys(made()),
    getPrototypeOf: () => Reflect.getPrototypeOf(made()),
    defineProperty: (_, key, descriptor) => Reflect.defineProperty(made(), key, descriptor),
    deleteProperty: (_, key) => Reflect.deleteProperty(made(), key),
    getOwnPropertyDescriptor: (_, key) => {
      const found = Reflect.getOwnPropertyDescriptor(made(), key);
      // A proxy may not report a property as non-configurable unless its own, empty target has it.
      return found && { ...found, configurable: true };
    },
  };
  // The empty target is never visible: every operation is forwarded to the schema.
  return new Proxy({}, handler) as Schema;
};
