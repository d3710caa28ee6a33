// jemalloc takes the place of glibc's malloc in the program that links this. What a check needs for a moment, tasks' stacks and
// TLS buffers, lies between what stays of each domain; glibc leaves a hole there after each check that is too small for the next
// one's stack, and never gives it back. jemalloc keeps sizes apart. docs/performance.md has the figures.
//
// Two arenas, since the threads are few; pages that nobody has used for a second go back to the system. MALLOC_CONF in the
// environment overrides this: https://jemalloc.net/jemalloc.3.html#tuning
const char *malloc_conf = "narenas:2,dirty_decay_ms:1000,muzzy_decay_ms:0";
