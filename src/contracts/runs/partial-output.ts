/** A value that is not complete yet. */
export type DeepPartial<Value> = Value extends readonly (infer Item)[]
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
