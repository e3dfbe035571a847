import { z } from 'zod';

/** Text that can be written as UTF-8: half of a surrogate pair cannot, and would silently become U+FFFD. */
export function wellFormedText(): z.ZodString {
  return z
    .string()
    .refine(text => text.isWellFormed(), 'holds half of a surrogate pair, which no file can hold');
}
