// jemalloc replaces glibc's malloc in a program that links this. A check's short-lived memory (task stacks, TLS buffers)
// lies between the memory that stays for each domain. After each check, glibc leaves holes there that are too small for the
// next stack, and never returns them. jemalloc keeps different sizes apart. docs/performance.md has the figures.
//
// Two arenas, because there are few threads. Pages that are unused for a second go back to the system. MALLOC_CONF in the
// environment overrides this: https://jemalloc.net/jemalloc.3.html#tuning
const char *malloc_conf = "narenas:2,dirty_decay_ms:1000,muzzy_decay_ms:0";
