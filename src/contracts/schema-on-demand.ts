import type * as z from 'zod';
import { onDemand } from './on-demand.ts';

/**
 * A schema that is made when something of it is first asked for: for schemas that the package exports, as an import of it pays for
 * none that is not used. It is to everybody, zod among them, the schema that is made.
 *
 * @example
 * export const pointSchema = schemaOnDemand(() => z.object({ x: z.number(), y: z.number() }));
 * pointSchema.parse({ x: 1, y: 2 });
 */
export const schemaOnDemand = /* @__NO_SIDE_EFFECTS__ */ <Schema extends z.ZodType>(
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
      // A proxy may not say of a property that its own, empty object does not have that it stays.
      return found && { ...found, configurable: true };
    },
  };
  // Nothing of the empty object is ever seen: all that can be asked of it is asked of the schema.
  return new Proxy({}, handler) as Schema;
};
