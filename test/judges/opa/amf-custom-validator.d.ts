declare module '@aml-org/amf-custom-validator' {
  const validator: {
    initialize(done: () => void): void;
    validate(profile: string, document: string, debug: boolean, done: (report: unknown) => void): void;
  };
  export default validator;
}
