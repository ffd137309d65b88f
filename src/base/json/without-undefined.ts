/** The fields of an object that are not undefined, in its order. */
export const withoutUndefined = <Fields extends object>(fields: Fields): Given<Fields> =>
  // Exactly the fields that the type keeps.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;

type Given<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>;
};
