/**
 * Which programs may be started on this device?
 *
 * A program called `quarry` that merely lies where tools lie could be anything, so the user is asked about its path
 * before it runs for the first time, and never again about the same path.
 */

export interface Consent {
  isGiven(path: string): boolean;
  isDeclined(path: string): boolean;
  give(path: string): void;
  decline(path: string): void;
}

/** Where answers are kept: on this device, never in a file that is synced. */
export interface ConsentStorage {
  read(): unknown;
  write(answers: Readonly<Record<string, boolean>>): void;
}

export function consentIn(storage: ConsentStorage): Consent {
  const answers = (): Readonly<Record<string, unknown>> => {
    const stored = storage.read();
    return typeof stored === "object" && stored !== null ? (stored as Record<string, unknown>) : {};
  };
  const answer = (path: string, isGiven: boolean): void => {
    const known = Object.entries(answers()).filter((entry): entry is [string, boolean] => typeof entry[1] === "boolean");
    storage.write({ ...Object.fromEntries(known), [path]: isGiven });
  };
  const answerTo = (path: string): unknown => (Object.hasOwn(answers(), path) ? answers()[path] : undefined);
  return {
    isGiven: (path) => answerTo(path) === true,
    isDeclined: (path) => answerTo(path) === false,
    give: (path) => { answer(path, true); },
    decline: (path) => { answer(path, false); },
  };
}
