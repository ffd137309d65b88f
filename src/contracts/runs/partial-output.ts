/**
 * A value that is not complete yet: each field may be absent, a text and a number may be the beginning of another one, so that
 * no enum or literal is certain.
 */
export type DeepPartial<Value> = Value extends string
  ? string
  : Value extends number
    ? number
    : Value extends readonly (infer Item)[]
      ? readonly DeepPartial<Item>[]
      : Value extends object
        ? { readonly [Key in keyof Value]?: DeepPartial<Value[Key]> }
        : Value;

/**
 * An item of an output that is a list, with its place in it. Without an item: the list ends before that place, as the
 * model has answered again, with fewer.
 */
export type OutputElement<Output> = Output extends readonly (infer Item)[]
  ? { readonly index: number; readonly element: Item | undefined }
  : never;
