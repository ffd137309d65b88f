import { isJsonObject, type JsonObject } from '../../base/json/json.ts';

/** Checks whether a field of a replayed block can be what the provider's types demand there. */
export type Check = (value: unknown) => boolean;

export const text: Check = (value) => typeof value === 'string';
export const textOrNull: Check = (value) => value === null || text(value);
export const flag: Check = (value) => typeof value === 'boolean';
export const list: Check = Array.isArray;
export const listOrNull: Check = (value) => value === null || list(value);
export const object: Check = isJsonObject;
export const objectOrList: Check = (value) => object(value) || list(value);
export const textOrList: Check = (value) => text(value) || list(value);
export const anything: Check = (value) => value !== undefined;

type Demanded<Block> = {
  readonly [
    Field in keyof Block as Field extends 'type'
      ? never
      : Record<never, never> extends Pick<Block, Field>
        ? never
        : Field
  ]: Check;
};

/** For each type of block the fields that it must have; complete, as the compiler compares it with the SDK's types. */
export type Shapes<Block extends { readonly type?: unknown }> = {
  readonly [Type in Extract<Block['type'], string>]: Demanded<Extract<Block, { readonly type: Type }>>;
};

/**
 * Checks whether a block is of a known type and has the fields of that type. Their content is not checked: the provider
 * made it, and gets it back unchanged.
 */
export const hasShape = (
  block: JsonObject,
  shapes: Readonly<Record<string, Readonly<Record<string, Check>>>>,
): boolean => {
  const { type } = block;
  if (typeof type !== 'string' || !Object.hasOwn(shapes, type)) return false;
  return Object.entries(shapes[type] ?? {}).every(([field, check]) => check(block[field]));
};
