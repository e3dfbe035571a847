/**
 * Node options of a toolbox: fifty idle ones shall fit on one machine. A small young generation is collected before it
 * spreads, and the heap is bounded well above what the largest request needs.
 */
export const TOOLBOX_NODE_FLAGS: readonly string[] = ['--max-semi-space-size=1', '--max-old-space-size=128'];

/** Settings of glibc's allocator: buffers of output go back to the kernel as soon as they are free. */
export const TOOLBOX_MALLOC: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '32768',
};
