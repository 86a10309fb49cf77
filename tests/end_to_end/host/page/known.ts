/**
 * Errors for parts of the API that the host does not have.
 *
 * Loudly and by name. A plugin that reads a property this host lacks gets an error that says which, instead of an
 * `undefined` that makes some other line fail, or worse, a branch quietly not taken.
 */

// Read by the language and by tools on any object: promises, JSON, module interop, test frameworks.
const ALWAYS_ASKED = new Set(["then", "toJSON", "__esModule", "default", "asymmetricMatch", "nodeType", "$$typeof"]);

/** A prototype below which every unknown name throws. `in` still answers honestly. */
function throwingPrototype(describe: (receiver: unknown) => string): object {
  return new Proxy(Object.prototype, {
    get(target, key, receiver) {
      if (typeof key === "symbol" || key in target || ALWAYS_ASKED.has(key)) return Reflect.get(target, key, receiver) as unknown;
      throw new Error(`the test host has no ${describe(receiver)}.${key}`);
    },
    // An assignment makes an own property, as on any object.
    set(_target, key, value, receiver: object) {
      return Reflect.defineProperty(receiver, key, { value, writable: true, enumerable: true, configurable: true });
    },
  });
}

/** Base of the host's own objects (the app, the vault, the workspace ...). */
export abstract class Known {}
Object.setPrototypeOf(
  Known.prototype,
  throwingPrototype((receiver) => (receiver as object).constructor.name),
);

/** *members* as a module of that name, as `require` gives it. */
export function knownModule(name: string, members: Record<string, unknown>): object {
  const module = Object.create(throwingPrototype(() => name)) as object;
  return Object.assign(module, members);
}
