/** Name of a protobuf enum's value, also of one that this version does not know. */
export function nameOf(values: Readonly<Record<string, number | string>>, value: number): string {
  return Object.entries(values).find(entry => entry[1] === value)?.[0] ?? `unknown value ${value}`;
}

/** A name of a protobuf enum's value as people read it. */
export function words(name: string): string {
  return name.toLowerCase().replaceAll('_', ' ');
}
