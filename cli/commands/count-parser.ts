import { InvalidArgumentError } from 'commander';

/** A parser of options that count something, from 1 to the largest. */
export function countParser(largest: number): (text: string) => number {
  return text => {
    const number = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
    if (number !== undefined && number <= largest) return number;
    throw new InvalidArgumentError(`It is a whole number from 1 to ${largest}.`);
  };
}
